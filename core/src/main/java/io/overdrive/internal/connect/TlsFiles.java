package io.overdrive.internal.connect;

import static io.overdrive.internal.connect.ConnectSetting.KEYSTORE_PASSWORD;
import static io.overdrive.internal.connect.ConnectSetting.TLS_CA;
import static io.overdrive.internal.connect.ConnectSetting.TLS_CERT;
import static io.overdrive.internal.connect.ConnectSetting.TLS_KEY;
import static io.overdrive.internal.connect.ConnectSetting.TLS_KEYSTORE;
import static io.overdrive.internal.connect.ConnectSetting.TLS_KEY_PASSWORD;
import static io.overdrive.internal.connect.ConnectSetting.TLS_PASSWORD_COMMAND;
import static io.overdrive.internal.connect.ConnectSetting.TLS_PASSWORD_FILE;
import static io.overdrive.internal.connect.ConnectSetting.TLS_TRUSTSTORE;
import static io.overdrive.internal.connect.ConnectSetting.TRUSTSTORE_PASSWORD;

import io.overdrive.PemFiles;
import io.overdrive.Setting;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.UnrecoverableKeyException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates and keys for one server. Confined to one thread. */
public final class TlsFiles {
    /** The beginning of a PEM file. */
    private static final String PEM = "-----BEGIN ";

    private final ConnectValues given;

    private TlsFiles(ConnectValues given) {
        this.given = given;
    }

    /**
     * The certificates and keys that were given, and the authorities of the JDK if none were.
     *
     * @throws IllegalArgumentException if a file cannot be used, or settings do not go together
     */
    public static SSLContext context(ConnectValues given) {
        return new TlsFiles(given).context();
    }

    /** The parts that {@link #context} is made of, contents of files and passwords, for comparison only. */
    public static List<Object> parts(ConnectValues given) {
        List<Object> parts = new ArrayList<>();
        for (Setting<Path> each : List.of(TLS_CA, TLS_CERT, TLS_KEY, TLS_TRUSTSTORE, TLS_KEYSTORE)) {
            Path file = given.file(each);
            parts.add(file == null ? "" : content(file));
        }
        for (Setting<String> each : List.of(TRUSTSTORE_PASSWORD, KEYSTORE_PASSWORD, TLS_KEY_PASSWORD)) {
            parts.add(String.valueOf(given.secret(each)));
        }
        return parts;
    }

    /** An object that equals no other if it can be read only once, or not at all. */
    private static Object content(Path file) {
        try {
            return Files.isRegularFile(file) ? ByteBuffer.wrap(Files.readAllBytes(file)) : new Object();
        } catch (IOException e) {
            return new Object();
        }
    }

    private SSLContext context() {
        for (Setting<?> opens : List.of(TLS_PASSWORD_FILE, TLS_PASSWORD_COMMAND)) {
            if (given.isGiven(opens)
                    && List.of(TLS_TRUSTSTORE, TLS_KEYSTORE, TLS_CERT, TLS_KEY).stream()
                            .noneMatch(given::isGiven)) {
                throw new IllegalArgumentException(given.name(opens)
                        + " is of no use without a file that it opens: give " + given.name(TLS_CERT) + " and "
                        + given.name(TLS_KEY) + ", " + given.name(TLS_KEYSTORE) + " or " + given.name(TLS_TRUSTSTORE));
            }
        }
        Connecting.exclude(given, TLS_TRUSTSTORE, TLS_CA);
        Connecting.exclude(given, TLS_KEYSTORE, TLS_CERT);
        if (given.isGiven(TLS_CERT) != given.isGiven(TLS_KEY)) {
            throw Connecting.together(given, TLS_CERT, TLS_KEY);
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(), trustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private TrustManager @Nullable [] trustManagers() throws GeneralSecurityException {
        Path authorities = given.file(TLS_CA);
        if (authorities != null) {
            try {
                return PemFiles.trustManagers(authorities);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(given.name(TLS_CA) + " " + e.getMessage(), e);
            }
        }
        Path file = given.file(TLS_TRUSTSTORE);
        if (file == null) {
            return null;
        }
        String secret = given.secret(TRUSTSTORE_PASSWORD);
        KeyStore store = store(TLS_TRUSTSTORE, file, secret, TRUSTSTORE_PASSWORD);
        if (!holdsCertificates(store)) {
            throw new IllegalArgumentException(given.name(TLS_TRUSTSTORE) + " " + file + " holds no certificates"
                    + (secret == null ? "; set " + given.name(TRUSTSTORE_PASSWORD) + " to its password" : ""));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    /**
     * Whether there is anything to trust: in a PKCS#12 store that was opened without its password, certificates cannot be seen, and keys
     * have none.
     */
    private static boolean holdsCertificates(KeyStore store) throws KeyStoreException {
        for (String alias : Collections.list(store.aliases())) {
            if (store.getCertificate(alias) != null) {
                return true;
            }
        }
        return false;
    }

    private KeyManager @Nullable [] keyManagers() throws GeneralSecurityException {
        Path certificate = given.file(TLS_CERT);
        Path key = given.file(TLS_KEY);
        if (certificate != null && key != null) {
            return pemKeyManagers(certificate, key, given.secret(TLS_KEY_PASSWORD));
        }
        Path file = given.file(TLS_KEYSTORE);
        if (file == null) {
            return null;
        }
        String name = given.name(TLS_KEYSTORE) + " " + file;
        String secret = given.secret(KEYSTORE_PASSWORD);
        if (secret == null) {
            throw new IllegalArgumentException(name + " needs a password: set " + given.name(KEYSTORE_PASSWORD));
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        try {
            factory.init(store(TLS_KEYSTORE, file, secret, KEYSTORE_PASSWORD), secret.toCharArray());
        } catch (UnrecoverableKeyException e) {
            throw new IllegalArgumentException(
                    name + ": the key has another password than the file; give both that of "
                            + given.name(KEYSTORE_PASSWORD),
                    e);
        }
        return factory.getKeyManagers();
    }

    private KeyManager[] pemKeyManagers(Path chain, Path ofChain, @Nullable String secret) {
        try {
            return PemFiles.keyManagers(chain, ofChain, secret == null ? null : secret.toCharArray());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    given.name(TLS_CERT) + " and " + given.name(TLS_KEY) + ": " + e.getMessage() + " ("
                            + given.name(TLS_KEY_PASSWORD) + " is the password of the key)",
                    e);
        }
    }

    private KeyStore store(Setting<Path> setting, Path file, @Nullable String secret, Setting<String> password)
            throws GeneralSecurityException {
        String name = given.name(setting) + " " + file;
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            in.mark(PEM.length());
            if (new String(in.readNBytes(PEM.length()), StandardCharsets.ISO_8859_1).equals(PEM)) {
                throw new IllegalArgumentException(name + " is a PEM file: give it by "
                        + (setting == TLS_TRUSTSTORE
                                ? given.name(TLS_CA)
                                : given.name(TLS_CERT) + " and " + given.name(TLS_KEY)));
            }
            in.reset();
            store.load(in, secret == null ? null : secret.toCharArray());
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    name + " cannot be opened: " + e.getMessage() + " (" + given.name(password) + " is its password)",
                    e);
        }
        return store;
    }
}
