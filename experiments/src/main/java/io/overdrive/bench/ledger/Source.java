package io.overdrive.bench.ledger;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A document that made claims, and all that it said. Immutable.
 *
 * @param key short, such as {@code spitzer}
 * @param published where and when
 * @param claims in the order of the document
 */
public record Source(String key, String title, String author, String published, List<Claim> claims) {
    public Source {
        claims = List.copyOf(claims);
    }

    /**
     * One item of a document: something to measure, something that a page answers, or what is not for an experiment.
     *
     * @param id which never changes: {@code S23}
     * @param place the slide or section
     * @param said in our words, with its figures
     * @param checks the claims of experiments that judge it, as {@code grouping-order/replica-set}; may be empty
     * @param page of this repository, with or without an anchor, that answers it or has more
     * @param note why the outcome is as it is, what the page answers, or why it is not for an experiment
     * @param needs what would decide it, if it is undecided; without checks, it has no experiment yet
     */
    public record Claim(
            String id,
            String place,
            String said,
            List<String> checks,
            @Nullable String page,
            @Nullable String note,
            @Nullable String needs) {
        /** Takes null for no checks. */
        public Claim(
                String id,
                String place,
                String said,
                @Nullable List<String> checks,
                @Nullable String page,
                @Nullable String note,
                @Nullable String needs) {
            this.id = id;
            this.place = place;
            this.said = said;
            this.checks = List.copyOf(Objects.requireNonNullElse(checks, List.of()));
            this.page = page;
            this.note = note;
            this.needs = needs;
        }
    }

    /** All documents, as {@code claims.json} beside this class has them. */
    public static List<Source> all() {
        try (InputStream in = Objects.requireNonNull(Source.class.getResourceAsStream("claims.json"))) {
            return List.copyOf(new ObjectMapper().readValue(in, new TypeReference<List<Source>>() {}));
        } catch (IOException e) {
            throw new UncheckedIOException("claims.json", e);
        }
    }
}
