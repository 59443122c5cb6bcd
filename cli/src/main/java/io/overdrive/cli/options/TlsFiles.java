package io.overdrive.cli.options;

import io.overdrive.PemFiles;
import io.overdrive.internal.wire.TrustStores;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Certificates and keys for one cluster. Confined to one thread.
 *
 * <p>The fields are values of options; null if they were not given.
 */
final class TlsFiles {
    /** The beginning of a PEM file. */
    private static final String PEM = "-----BEGIN ";

    /** {@code --tls} or {@code --to-tls}. */
    private final String option;
    /** What the environment variables of passwords begin with. */
    private final String variables;

    @Nullable Path trustStore;

    @Nullable Path keyStore;

    @Nullable Path authorities;

    @Nullable Path certificate;

    @Nullable Path key;

    @Nullable String trustStorePassword;

    @Nullable String keyStorePassword;

    @Nullable String keyPassword;
    /** Of the password of all of them that have none. */
    @Nullable Path passwordFile;

    @Nullable String passwordCommand;

    TlsFiles(String option, String variables) {
        this.option = option;
        this.variables = variables;
    }

    /** Whether there is any, or a password for one. */
    boolean isGiven() {
        return Stream.of(trustStore, keyStore, authorities, certificate, key, passwordFile, passwordCommand)
                .anyMatch(Objects::nonNull);
    }

    SSLContext context() {
        String opens = passwordFile != null ? "-password-file" : "-password-command";
        if ((passwordFile != null || passwordCommand != null)
                && trustStore == null
                && keyStore == null
                && certificate == null
                && key == null) {
            throw new IllegalArgumentException(option + opens + " is of no use without a file that it opens: give "
                    + option + "-cert and " + option + "-key, " + option + "-keystore or " + option + "-truststore");
        }
        String password = Passwords.find(option + "-password", /* secret */ null, passwordFile, passwordCommand);
        exclude(trustStore, "-truststore", authorities, "-ca");
        exclude(keyStore, "-keystore", certificate, "-cert");
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(
                    option + "-cert and " + option + "-key belong together: give both or neither");
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(password), trustManagers(password), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private void exclude(@Nullable Path one, String its, @Nullable Path other, String others) {
        if (one != null && other != null) {
            throw new IllegalArgumentException(
                    option + its + " and " + option + others + " exclude each other: choose one");
        }
    }

    private TrustManager @Nullable [] trustManagers(@Nullable String password) throws GeneralSecurityException {
        if (authorities != null) {
            Path file = ConnectMixin.readable(option + "-ca", authorities);
            try {
                return PemFiles.trustManagers(file);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(option + "-ca " + e.getMessage(), e);
            }
        }
        if (trustStore == null) {
            return null;
        }
        String name = option + "-truststore";
        String variable = variables + "TRUSTSTORE_PASSWORD";
        String secret = trustStorePassword != null ? trustStorePassword : password;
        KeyStore store = store(name, trustStore, secret, variable);
        if (!TrustStores.holdsCertificates(store)) {
            throw new IllegalArgumentException(name + " " + trustStore + " holds no certificates"
                    + (secret == null ? "; set " + variable + " to its password" : ""));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private KeyManager @Nullable [] keyManagers(@Nullable String password) throws GeneralSecurityException {
        if (certificate != null && key != null) {
            return pemKeyManagers(
                    ConnectMixin.readable(option + "-cert", certificate),
                    ConnectMixin.readable(option + "-key", key),
                    keyPassword != null ? keyPassword : password);
        }
        if (keyStore == null) {
            return null;
        }
        String variable = variables + "KEYSTORE_PASSWORD";
        String secret = keyStorePassword != null ? keyStorePassword : password;
        String name = option + "-keystore";
        if (secret == null) {
            throw new IllegalArgumentException(name + " " + keyStore + " needs a password: set " + variable);
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        try {
            factory.init(store(name, keyStore, secret, variable), secret.toCharArray());
        } catch (UnrecoverableKeyException e) {
            throw new IllegalArgumentException(
                    name + " " + keyStore + ": the key has another password than the file; give both that of "
                            + variable,
                    e);
        }
        return factory.getKeyManagers();
    }

    private KeyManager[] pemKeyManagers(Path chain, Path ofChain, @Nullable String secret) {
        try {
            return PemFiles.keyManagers(chain, ofChain, secret == null ? null : secret.toCharArray());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    option + "-cert and " + option + "-key: " + e.getMessage() + " (" + variables
                            + "TLS_KEY_PASSWORD is the password of the key)",
                    e);
        }
    }

    private KeyStore store(String name, Path file, @Nullable String secret, String variable)
            throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream in = new BufferedInputStream(Files.newInputStream(ConnectMixin.readable(name, file)))) {
            in.mark(PEM.length());
            if (new String(in.readNBytes(PEM.length()), StandardCharsets.ISO_8859_1).equals(PEM)) {
                throw new IllegalArgumentException(name + " " + file + " is a PEM file: give it by "
                        + (name.endsWith("truststore") ? option + "-ca" : option + "-cert and " + option + "-key"));
            }
            in.reset();
            store.load(in, secret == null ? null : secret.toCharArray());
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    name + " " + file + " cannot be opened: " + e.getMessage() + " (" + variable + " is its password)",
                    e);
        }
        return store;
    }
}
