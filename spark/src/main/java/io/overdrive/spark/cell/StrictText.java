package io.overdrive.spark.cell;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;

/**
 * Numbers and UUIDs from text, without what the JDK reads in addition: digits of other scripts, suffixes and hexadecimal fractions of
 * Java's sources, UUIDs whose parts have other lengths, and infinity for a number that is too large. Text is not stripped. Executes (on
 * the executors). Stateless; on the hot path.
 */
public final class StrictText {
    private StrictText() {}

    /** @throws NumberFormatException if the text is not a whole number, or a long cannot hold it */
    public static long wholeNumber(String text) {
        return Long.parseLong(plain(text));
    }

    /** @throws NumberFormatException if the text is not a whole number */
    public static BigInteger varint(String text) {
        return new BigInteger(plain(text));
    }

    /** @throws NumberFormatException if the text is not a decimal number */
    public static BigDecimal decimal(String text) {
        return new BigDecimal(plain(text));
    }

    /**
     * The nearest double; also {@code NaN}, {@code Infinity} and {@code -Infinity}.
     *
     * @throws IllegalArgumentException if the text is not a number, or it is out of range
     */
    public static double doubleNumber(String text) {
        boolean isWord = isWord(text);
        double value = Double.parseDouble(isWord ? text : plain(text));
        if (Double.isInfinite(value) && !isWord) {
            throw outOfRange("double");
        }
        return value;
    }

    /**
     * The nearest float; also {@code NaN}, {@code Infinity} and {@code -Infinity}.
     *
     * @throws IllegalArgumentException if the text is not a number, or it is out of range
     */
    public static float floatNumber(String text) {
        boolean isWord = isWord(text);
        float value = Float.parseFloat(isWord ? text : plain(text));
        if (Float.isInfinite(value) && !isWord) {
            throw outOfRange("float");
        }
        return value;
    }

    /** @throws IllegalArgumentException if the text is not a UUID in its form of 36 characters */
    public static UUID uuid(String text) {
        try {
            UUID uuid = UUID.fromString(text);
            if (uuid.toString().equalsIgnoreCase(text)) {
                return uuid;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a UUID of 36 characters", e);
        }
        throw new IllegalArgumentException("must be a UUID of 36 characters");
    }

    static IllegalArgumentException outOfRange(String type) {
        return new IllegalArgumentException("must be in the range of " + type);
    }

    private static boolean isWord(String text) {
        return switch (text) {
            case "NaN", "Infinity", "+Infinity", "-Infinity" -> true;
            default -> false;
        };
    }

    /** The text, if all of its characters may be in a number. */
    private static String plain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E') {
                throw new NumberFormatException("\"" + text + "\" is not a number");
            }
        }
        return text;
    }
}
