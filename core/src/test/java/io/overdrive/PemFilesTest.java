package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates and keys as OpenSSL writes them; the password of the encrypted ones is "test". */
class PemFilesTest {
    private static final Path FILES = Path.of("src", "test", "resources", "pem");

    private static KeyManager[] load(String certificate, String key, @Nullable String password) {
        return PemFiles.keyManagers(
                FILES.resolve(certificate), FILES.resolve(key), password == null ? null : password.toCharArray());
    }

    @ParameterizedTest
    @CsvSource({
        "rsa.crt, rsa-pkcs8.key, , RSA",
        "rsa.crt, rsa-pkcs1.key, , RSA",
        "rsa.crt, rsa-encrypted.key, test, RSA",
        "rsa.crt, rsa-pkcs8.key, unused, RSA",
        "both.pem, both.pem, , RSA",
        "ec.crt, ec-pkcs8.key, , EC",
        "ec.crt, ec-sec1.key, , EC",
        "ed25519.crt, ed25519.key, , EdDSA",
    })
    void readsCertificatesWithTheirKeys(String certificate, String key, @Nullable String password, String algorithm) {
        X509KeyManager manager = (X509KeyManager) load(certificate, key, password)[0];
        String[] aliases = Objects.requireNonNull(manager.getClientAliases(algorithm, null));
        assertThat(aliases).hasSize(1);
        assertThat(manager.getPrivateKey(aliases[0]).getAlgorithm()).isEqualTo(algorithm);
        assertThat(manager.getCertificateChain(aliases[0])).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rsa.crt | ec-pkcs8.key | | ec-pkcs8.key: the key is damaged, or not one of RSA as the certificate's: ",
                "rsa.crt | rsa-encrypted.key | | rsa-encrypted.key: the key is encrypted: give its password",
                "rsa.crt | rsa-encrypted.key | wrong | rsa-encrypted.key: the password of the key is wrong",
                "rsa.crt | rsa-old-encrypted.key | test | rsa-old-encrypted.key: the key is encrypted in the old format of"
                        + " OpenSSL: convert it with openssl pkcs8 -topk8 -in ",
                "rsa.crt | ec.crt | | ec.crt holds no key in PEM, which begins with -----BEGIN PRIVATE KEY-----",
                "ec-pkcs8.key | ec-pkcs8.key | | ec-pkcs8.key holds no certificate in PEM, which begins with"
                        + " -----BEGIN CERTIFICATE-----",
                "authorities.pem | ec-pkcs8.key | | ec-pkcs8.key: the key is damaged, or not one of RSA",
                "no-such.crt | ec-pkcs8.key | | no-such.crt cannot be read: ",
                "rsa.crt | no-such.key | | no-such.key cannot be read: ",
            })
    void saysWhatIsWrong(String certificate, String key, @Nullable String password, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> load(certificate, key, password))
                .withMessageContaining(message);
    }

    @Test
    void refusesTheKeyOfAnotherCertificate(@TempDir Path directory) throws IOException {
        Path mixed = directory.resolve("mixed.pem");
        Files.writeString(mixed, Files.readString(FILES.resolve("other-rsa.key")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PemFiles.keyManagers(FILES.resolve("rsa.crt"), mixed, null))
                .withMessageContaining(mixed + " is not the key of the first certificate in ")
                .withMessageEndingWith("rsa.crt: give its key");
    }

    @Test
    void damagedFilesAreNamed(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("damaged.pem");
        Files.writeString(file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PemFiles.trustManagers(file))
                .withMessageContaining(file + ": certificate 1 cannot be read: ");
        Files.writeString(file, "-----BEGIN EC PRIVATE KEY-----\nMP8=\n-----END EC PRIVATE KEY-----\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PemFiles.keyManagers(FILES.resolve("ec.crt"), file, null))
                .withMessageContaining(file + ": the key is damaged");
    }

    @Test
    void trustsEachCertificateInAFile() {
        X509TrustManager manager = (X509TrustManager) PemFiles.trustManagers(FILES.resolve("authorities.pem"))[0];
        assertThat(manager.getAcceptedIssuers())
                .extracting(X509Certificate::getSubjectX500Principal)
                .extracting(Object::toString)
                .containsExactlyInAnyOrder("CN=rsa", "CN=ec");
    }

    @Test
    void aContextNeedsACertificateAndItsKey() {
        assertThat(PemFiles.context(null, null, null, null).getProtocol()).isEqualTo("TLS");
        assertThat(PemFiles.context(
                        FILES.resolve("authorities.pem"), FILES.resolve("ec.crt"), FILES.resolve("ec-sec1.key"), null))
                .isNotNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PemFiles.context(null, FILES.resolve("ec.crt"), null, null))
                .withMessage("certificate and key belong together: give both or neither");
    }
}
