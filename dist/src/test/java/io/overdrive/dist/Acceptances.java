package io.overdrive.dist;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.dist.Advisories.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** The findings of {@link Advisories} that do not apply to a release, each with its reason and an expiry. Immutable. */
record Acceptances(List<Acceptance> acceptances) {

    /**
     * @param id of the advisory, or {@link Advisories#NOT_LOOKED_UP}
     * @param name of the library, as group:artifact
     * @param until the date of the copy of the advisories up to which it is accepted; no clock, so that the same commit always has
     *     the same result
     */
    record Acceptance(String id, String name, String reason, LocalDate until) {
        Acceptance {
            if (reason.isBlank()) {
                throw new IllegalArgumentException("no reason to accept " + id + " of " + name);
            }
        }

        boolean accepts(Finding finding) {
            return id.equals(finding.id()) && name.equals(finding.library().name());
        }
    }

    static Acceptances read(Path file) throws IOException {
        List<Acceptance> acceptances = new ArrayList<>();
        for (JsonNode each : new ObjectMapper().readTree(file.toFile())) {
            acceptances.add(new Acceptance(
                    each.required("id").asText(),
                    each.required("package").asText(),
                    each.required("reason").asText(),
                    LocalDate.parse(each.required("until").asText())));
        }
        return new Acceptances(acceptances);
    }

    /**
     * Lists what has to change before a release is made: findings that nobody accepted, and acceptances that no finding needs or that
     * are older than the copy of the advisories.
     *
     * @param date of that copy
     */
    List<String> problems(List<Finding> findings, LocalDate date) {
        List<String> problems = new ArrayList<>();
        for (Finding finding : findings) {
            if (acceptances.stream().noneMatch(each -> each.accepts(finding))) {
                problems.add(finding.library().name() + " " + finding.library().version() + ": " + finding.id() + ": "
                        + finding.text()
                        + (finding.id().equals(Advisories.NOT_LOOKED_UP)
                                ? "; refresh the copy with scripts/advisories.py"
                                : "; take a version without it"));
            }
        }
        for (Acceptance each : acceptances) {
            String accepted = "accepted.json accepts " + each.id() + " of " + each.name();
            if (findings.stream().noneMatch(each::accepts)) {
                problems.add(accepted + ", which affects no library of this version; remove it");
            } else if (each.until().isBefore(date)) {
                problems.add(accepted + " until " + each.until() + ", and the advisories are of " + date
                        + "; take a version without it, or decide about it again");
            }
        }
        return problems;
    }
}
