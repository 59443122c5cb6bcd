package io.overdrive;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Certificates and keys in PEM files, as OpenSSL and Kubernetes have them, for {@link ConnectOptions.Builder#tls}. Keys are PKCS#8, also
 * encrypted, or PKCS#1 (RSA) or SEC 1 (EC). Stateless.
 */
public final class PemFiles {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

    private static final byte[] RSA = {
        0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00
    };
    private static final byte[] EC_PUBLIC_KEY = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01};
    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    /** Tag of the curve's parameters in a SEC 1 key. */
    private static final int PARAMETERS = 0xa0;

    private PemFiles() {}

    /** A block of a file, between its lines BEGIN and END. */
    private record Block(String type, String text) {
        byte[] bytes(Path file) {
            try {
                return Base64.getMimeDecoder().decode(text.strip());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        file + ": the block " + type + " is not base64: " + e.getMessage(), e);
            }
        }
    }

    /**
     * A context for TLS.
     *
     * @param authorities certificates to trust; null: the JDK's
     * @param certificate the client's certificate, and those between it and the authority; null: none
     * @param key of that certificate; null exactly if there is no certificate
     * @param keyPassword null if the key is not encrypted
     * @throws IllegalArgumentException if a file cannot be read or used; the message names it
     */
    public static SSLContext context(
            @Nullable Path authorities, @Nullable Path certificate, @Nullable Path key, char @Nullable [] keyPassword) {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("certificate and key belong together: give both or neither");
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    certificate == null || key == null ? null : keyManagers(certificate, key, keyPassword),
                    authorities == null ? null : trustManagers(authorities),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /**
     * Trust managers that accept the certificates in a file, and those that they have signed.
     *
     * @throws IllegalArgumentException if the file cannot be read or used; the message names it
     */
    public static TrustManager[] trustManagers(Path authorities) {
        try {
            KeyStore store = emptyStore();
            for (Certificate each : certificates(authorities)) {
                store.setCertificateEntry("ca-" + store.size(), each);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(authorities + ": " + e.getMessage(), e);
        }
    }

    /**
     * Key managers that present a client's certificate.
     *
     * @param certificate and those between it and the authority, if any
     * @param keyPassword null if the key is not encrypted
     * @throws IllegalArgumentException if a file cannot be read or used, or the key belongs to another certificate; the message names the
     *     file
     */
    public static KeyManager[] keyManagers(Path certificate, Path key, char @Nullable [] keyPassword) {
        List<Certificate> chain = certificates(certificate);
        PublicKey publicKey = chain.get(0).getPublicKey();
        try {
            PrivateKey privateKey = privateKey(key, publicKey.getAlgorithm(), keyPassword);
            if (!isPair(privateKey, publicKey)) {
                throw new IllegalArgumentException(
                        key + " is not the key of the first certificate in " + certificate + ": give its key");
            }
            KeyStore store = emptyStore();
            char[] inMemory = {};
            store.setKeyEntry("client", privateKey, inMemory, chain.toArray(Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, inMemory);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(key + ": " + e.getMessage(), e);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            return store;
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static List<Block> blocks(Path file) {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e, e);
        }
        List<Block> blocks = new ArrayList<>();
        for (Matcher m = BLOCK.matcher(text); m.find(); ) {
            blocks.add(new Block(m.group(1), m.group(2)));
        }
        return blocks;
    }

    private static List<Certificate> certificates(Path file) {
        List<Certificate> all = new ArrayList<>();
        for (Block block : blocks(file)) {
            if (block.type().endsWith("CERTIFICATE")) {
                try {
                    all.add(CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(block.bytes(file))));
                } catch (GeneralSecurityException e) {
                    throw new IllegalArgumentException(
                            file + ": certificate " + (all.size() + 1) + " cannot be read: " + e.getMessage(), e);
                }
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException(
                    file + " holds no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----");
        }
        return all;
    }

    private static PrivateKey privateKey(Path file, String algorithm, char @Nullable [] password)
            throws GeneralSecurityException, IOException {
        for (Block block : blocks(file)) {
            if (block.text().contains("DEK-Info:")) {
                throw new IllegalArgumentException(file
                        + ": the key is encrypted in the old format of OpenSSL: convert it with openssl pkcs8 -topk8 -in "
                        + file + " -out FILE");
            }
            byte[] key =
                    switch (block.type()) {
                        case "PRIVATE KEY" -> block.bytes(file);
                        case "ENCRYPTED PRIVATE KEY" -> decrypt(file, block.bytes(file), password);
                        case "RSA PRIVATE KEY" -> pkcs8(RSA, block.bytes(file));
                        case "EC PRIVATE KEY" -> pkcs8(curve(file, block.bytes(file)), block.bytes(file));
                        default -> new byte[0]; // such as EC PARAMETERS, or the certificate
                    };
            if (key.length > 0) {
                try {
                    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key));
                } catch (InvalidKeySpecException e) {
                    throw new IllegalArgumentException(
                            file + ": the key is damaged, or not one of " + algorithm + " as the certificate's: "
                                    + e.getMessage(),
                            e);
                }
            }
        }
        throw new IllegalArgumentException(
                file + " holds no key in PEM, which begins with -----BEGIN PRIVATE KEY----- or the like");
    }

    private static byte[] decrypt(Path file, byte[] encrypted, char @Nullable [] password) throws IOException {
        if (password == null) {
            throw new IllegalArgumentException(file + ": the key is encrypted: give its password");
        }
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encrypted);
            AlgorithmParameters parameters = info.getAlgParameters();
            // PBES2 is a family: the name of the member is in the parameters.
            String algorithm = info.getAlgName().equals("PBES2") ? parameters.toString() : info.getAlgName();
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password)),
                    parameters);
            return info.getKeySpec(cipher).getEncoded();
        } catch (InvalidKeyException | InvalidKeySpecException e) {
            throw new IllegalArgumentException(file + ": the password of the key is wrong", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    file + ": the key is encrypted in a way that this Java does not have: " + e.getMessage(), e);
        }
    }

    /** PKCS#8 is the version, the algorithm, and the key as PKCS#1 or SEC 1 have it. */
    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        return der(SEQUENCE, concat(VERSION_0, algorithm, der(OCTET_STRING, key)));
    }

    /** The algorithm of a key of SEC 1, whose curve is in the key: version, key, [0] curve, [1] public key. */
    private static byte[] curve(Path file, byte[] key) {
        try {
            ByteBuffer in = ByteBuffer.wrap(key);
            in.get();
            length(in);
            while (in.hasRemaining()) {
                int tag = in.get() & 0xff;
                byte[] content = new byte[length(in)];
                in.get(content);
                if (tag == PARAMETERS) {
                    return der(SEQUENCE, concat(EC_PUBLIC_KEY, content));
                }
            }
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException(file + ": the key is damaged", e);
        }
        throw new IllegalArgumentException(
                file + ": the key does not name its curve: convert it with openssl pkcs8 -topk8 -nocrypt");
    }

    private static int length(ByteBuffer in) {
        int first = in.get() & 0xff;
        if (first < 0x80) {
            return first;
        }
        byte[] bytes = new byte[first & 0x7f];
        in.get(bytes);
        BigInteger length = new BigInteger(1, bytes);
        if (length.compareTo(BigInteger.valueOf(in.remaining())) > 0) {
            throw new BufferUnderflowException();
        }
        return length.intValue();
    }

    private static byte[] der(int tag, byte[] content) {
        int length = content.length;
        byte[] head;
        if (length < 0x80) {
            head = new byte[] {(byte) tag, (byte) length};
        } else if (length < 0x100) {
            head = new byte[] {(byte) tag, (byte) 0x81, (byte) length};
        } else {
            head = new byte[] {(byte) tag, (byte) 0x82, (byte) (length >> 8), (byte) length
            }; // keys have less than 64 KiB
        }
        return concat(head, content);
    }

    private static byte[] concat(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    private static boolean isPair(PrivateKey privateKey, PublicKey publicKey) throws GeneralSecurityException {
        String algorithm =
                switch (publicKey.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    case "DSA" -> "SHA256withDSA";
                    default -> publicKey.getAlgorithm(); // such as EdDSA
                };
        byte[] sample = {1, 2, 3};
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(privateKey);
        signature.update(sample);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(sample);
        return signature.verify(signed);
    }
}
