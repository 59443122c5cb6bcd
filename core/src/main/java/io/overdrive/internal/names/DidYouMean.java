package io.overdrive.internal.names;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Suggests known names that resemble a mistyped one, ignoring letter case. Stateless. */
public final class DidYouMean {
    private static final int MAX_SUGGESTIONS = 3;

    private DidYouMean() {}

    /** {@code : did you mean "a" or "b"?}, or an empty text if no name is close. */
    public static String suggestion(String typed, Collection<String> known) {
        return question("", closest(typed, known, Math.max(1, typed.length() / 3)));
    }

    /** @param prefix of all the names */
    public static String question(String prefix, List<String> near) {
        return near.isEmpty()
                ? ""
                : ": did you mean "
                        + near.stream().map(name -> '"' + prefix + name + '"').collect(Collectors.joining(" or "))
                        + "?";
    }

    /** The closest names, those with the fewest mistakes, if these are at most {@code mistakes}. */
    public static List<String> closest(String typed, Collection<String> known, int mistakes) {
        String lower = typed.toLowerCase(Locale.ROOT);
        int min = known.stream()
                .mapToInt(name -> distance(lower, name.toLowerCase(Locale.ROOT)))
                .min()
                .orElse(Integer.MAX_VALUE);
        return min > mistakes
                ? List.of()
                : known.stream()
                        .filter(name -> distance(lower, name.toLowerCase(Locale.ROOT)) == min)
                        .sorted()
                        .limit(MAX_SUGGESTIONS)
                        .toList();
    }

    /** Number of letters to insert, delete, replace, or swap with the next one (optimal string alignment). */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
