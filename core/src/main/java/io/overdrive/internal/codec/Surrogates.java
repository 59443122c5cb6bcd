package io.overdrive.internal.codec;

import java.util.Collection;
import java.util.Map;

/**
 * Finds text with half of a surrogate pair, for which the JDK's encoders of UTF-8 write a question mark. Stateless; on the hot path
 * (write step 1).
 */
public final class Surrogates {
    private Surrogates() {}

    /**
     * Whether text was encoded as it is.
     *
     * @param utf8 the text as the JDK encodes it
     */
    public static boolean areWhole(String text, byte[] utf8) {
        for (byte each : utf8) {
            if (each == '?') {
                return areWhole(text);
            }
        }
        return true;
    }

    /** Whether each surrogate is in a pair, in text, and in all text that a collection or map holds; true for anything else. */
    public static boolean areWhole(Object value) {
        if (value instanceof String text) {
            return areWhole(text);
        } else if (value instanceof Collection<?> all) {
            for (Object each : all) {
                if (each != null && !areWhole(each)) {
                    return false;
                }
            }
            return true;
        } else if (value instanceof Map<?, ?> map) {
            return areWhole(map.keySet()) && areWhole(map.values());
        }
        return true;
    }

    private static boolean areWhole(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }
}
