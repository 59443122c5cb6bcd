package io.overdrive.dist;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.maven.artifact.versioning.ComparableVersion;
import org.jspecify.annotations.Nullable;

/**
 * The offline copy of the advisories for the libraries of a release, which {@code scripts/advisories.py} makes, and what it says of
 * those of an SBOM. Immutable.
 *
 * @param date of the newest advisory of the source
 * @param names of the libraries that were looked up, as group:artifact
 */
record Advisories(LocalDate date, Set<String> names, List<Advisory> advisories) {
    /** Takes the place of an advisory's id for a library that the copy does not cover. */
    static final String NOT_LOOKED_UP = "not-looked-up";

    private static final String OURS = "io.overdrive";

    /** @param name of the library, as group:artifact */
    record Advisory(String id, String name, List<Range> ranges, String text) {
        boolean affects(String version) {
            return ranges.stream().anyMatch(range -> range.contains(version));
        }
    }

    /** Affected versions; without an end, all later ones. */
    record Range(String introduced, @Nullable String fixed, @Nullable String lastAffected) {
        private static final String ALL_BEFORE = "0";

        boolean contains(String version) {
            ComparableVersion asked = new ComparableVersion(version);
            return (introduced.equals(ALL_BEFORE) || asked.compareTo(new ComparableVersion(introduced)) >= 0)
                    && (fixed == null || asked.compareTo(new ComparableVersion(fixed)) < 0)
                    && (lastAffected == null || asked.compareTo(new ComparableVersion(lastAffected)) <= 0);
        }
    }

    /** @param name as group:artifact */
    record Library(String name, String version) {}

    /** An advisory that affects a library, or a library that was not looked up. */
    record Finding(String id, Library library, String text) {}

    static Advisories read(Path copy) throws IOException {
        JsonNode root = new ObjectMapper().readTree(copy.toFile());
        Set<String> names = new HashSet<>();
        root.required("packages").forEach(name -> names.add(name.asText()));
        List<Advisory> advisories = new ArrayList<>();
        for (JsonNode each : root.required("advisories")) {
            List<Range> ranges = new ArrayList<>();
            each.required("ranges")
                    .forEach(range -> ranges.add(new Range(
                            range.required("introduced").asText(),
                            range.path("fixed").asText(null),
                            range.path("last_affected").asText(null))));
            advisories.add(new Advisory(
                    each.required("id").asText(), each.required("package").asText(), ranges, text(each)));
        }
        return new Advisories(LocalDate.parse(root.required("date").asText()), names, advisories);
    }

    private static String text(JsonNode advisory) {
        List<String> facts = new ArrayList<>();
        advisory.required("aliases").forEach(alias -> facts.add(alias.asText()));
        facts.add("severity " + advisory.required("severity").asText());
        List<String> fixed = advisory.required("ranges").findValuesAsText("fixed");
        if (!fixed.isEmpty()) {
            facts.add("fixed in " + String.join(" or ", fixed));
        }
        return advisory.required("summary").asText() + " (" + String.join(", ", facts) + ")";
    }

    /** The libraries of others that an SBOM of CycloneDX lists. */
    static List<Library> libraries(Path sbom) throws IOException {
        List<Library> libraries = new ArrayList<>();
        for (JsonNode each : new ObjectMapper().readTree(sbom.toFile()).required("components")) {
            String group = each.required("group").asText();
            if (!group.equals(OURS)) {
                libraries.add(new Library(
                        group + ":" + each.required("name").asText(),
                        each.required("version").asText()));
            }
        }
        return libraries;
    }

    List<Finding> findings(List<Library> libraries) {
        List<Finding> findings = new ArrayList<>();
        for (Library library : libraries) {
            if (!names.contains(library.name())) {
                findings.add(new Finding(
                        NOT_LOOKED_UP, library, "the copy of the advisories of " + date + " does not cover it"));
            }
            for (Advisory advisory : advisories) {
                if (advisory.name().equals(library.name()) && advisory.affects(library.version())) {
                    findings.add(new Finding(advisory.id(), library, advisory.text()));
                }
            }
        }
        return findings;
    }
}
