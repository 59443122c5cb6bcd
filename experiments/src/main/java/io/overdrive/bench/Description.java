package io.overdrive.bench;

import java.util.List;

/**
 * Description of an experiment, as users read it.
 *
 * @param name what it is called on the command line: {@code grouping-order}
 * @param title the heading of its report: "Grouping and order of rows"
 * @param question the question, in one sentence
 * @param claim what was published, with its figures
 * @param source who published it, where and when
 * @param caveats what was wrong with the original, or is different here
 */
public record Description(
        String name, String title, String question, String claim, String source, List<String> caveats) {
    public Description {
        caveats = List.copyOf(caveats);
    }
}
