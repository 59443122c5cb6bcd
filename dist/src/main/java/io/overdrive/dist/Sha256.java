package io.overdrive.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Digests of files. Stateless. */
final class Sha256 {
    private Sha256() {}

    static byte[] of(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(of(bytes));
    }

    /** The files of a directory, without those below it, as {@code sha256sum} lists them. */
    static String sums(Path directory) throws IOException {
        StringBuilder sums = new StringBuilder();
        for (Path file : Trees.files(directory)) {
            if (directory.equals(file.getParent())) {
                sums.append(hex(Files.readAllBytes(file)))
                        .append("  ")
                        .append(file.getFileName())
                        .append('\n');
            }
        }
        return sums.toString();
    }
}
