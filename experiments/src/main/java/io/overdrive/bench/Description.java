package io.overdrive.bench;

import java.util.List;

/**
 * Description of an experiment, as users read it.
 *
 * @param name on the command line: {@code grouping-order}
 * @param title the heading of its report: "Grouping and order of rows"
 * @param question the question, in one sentence
 * @param claim as published, with its figures
 * @param source who published it, where and when
 * @param caveats errors of the original, and differences here
 */
public record Description(
        String name, String title, String question, String claim, String source, List<String> caveats) {
    public Description {
        caveats = List.copyOf(caveats);
    }
}
