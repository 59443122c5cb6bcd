package io.overdrive.bench;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Description of an experiment, as users read it.
 *
 * @param name on the command line: {@code grouping-order}
 * @param title the heading of its report: "Grouping and order of rows"
 * @param question the question, in one sentence
 * @param claim as published, with its figures
 * @param source who published it, where and when
 * @param caveats errors of the original, and differences here
 * @param version raised by a change of the experiment that may change its figures; 0 in reports of format 1
 * @param published the published figures, as numbers; none in reports of format 1
 */
public record Description(
        String name,
        String title,
        String question,
        String claim,
        String source,
        List<String> caveats,
        int version,
        List<Published> published) {
    /** Takes null for the figures that a report of format 1 does not have. */
    public Description(
            String name,
            String title,
            String question,
            String claim,
            String source,
            List<String> caveats,
            int version,
            @Nullable List<Published> published) {
        this.name = name;
        this.title = title;
        this.question = question;
        this.claim = claim;
        this.source = source;
        this.caveats = List.copyOf(caveats);
        this.version = version;
        this.published = List.copyOf(Objects.requireNonNullElse(published, List.of()));
    }

    public Description(String name, String title, String question, String claim, String source, List<String> caveats) {
        this(name, title, question, claim, source, caveats, 1, List.of());
    }
}
