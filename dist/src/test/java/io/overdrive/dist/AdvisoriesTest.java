package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.dist.Acceptances.Acceptance;
import io.overdrive.dist.Advisories.Advisory;
import io.overdrive.dist.Advisories.Finding;
import io.overdrive.dist.Advisories.Library;
import io.overdrive.dist.Advisories.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdvisoriesTest {
    static final Path COPY = Path.of("src", "advisories", "advisories.json");
    static final Path ACCEPTED = Path.of("src", "advisories", "accepted.json");

    private static final LocalDate DATE = LocalDate.of(2026, 11, 1);
    private static final Library OLD = new Library("g:a", "1.1");
    private static final Advisories ONE = new Advisories(
            DATE,
            Set.of("g:a", "g:b"),
            List.of(new Advisory("GHSA-1", "g:a", List.of(new Range("1.0", "1.2", null)), "it breaks (fixed in 1.2)")));

    private final Path directory;

    AdvisoriesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private List<Library> libraries(String... gavs) throws IOException {
        StringBuilder components = new StringBuilder();
        for (String gav : gavs) {
            String[] parts = gav.split(":", 3);
            components
                    .append(components.isEmpty() ? "" : ",")
                    .append("{\"group\": \"%s\", \"name\": \"%s\", \"version\": \"%s\"}"
                            .formatted(parts[0], parts[1], parts[2]));
        }
        Path sbom = Files.writeString(directory.resolve("sbom"), "{\"components\": [" + components + "]}");
        return Advisories.libraries(sbom);
    }

    /** Looks in all names that the copy has for an advisory, which depend on its source. */
    private static boolean names(Finding finding, String cve) {
        return finding.id().equals(cve) || finding.text().contains(cve);
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty:netty-codec-http2:4.1.123.Final,           CVE-2025-55163",
        "io.netty:netty-handler:4.1.117.Final,               CVE-2025-24970",
        "io.netty:netty-codec:4.1.67.Final,                  CVE-2021-37136",
        "org.lz4:lz4-java:1.8.0,                             CVE-2025-12183",
        "at.yawk.lz4:lz4-java:1.10.0,                        CVE-2025-66566",
        "org.xerial.snappy:snappy-java:1.1.9.1,              CVE-2023-34455",
        "org.xerial.snappy:snappy-java:1.1.10.3,             CVE-2023-43642",
        "com.fasterxml.jackson.core:jackson-core:2.14.3,     CVE-2025-52999",
        "com.fasterxml.jackson.core:jackson-databind:2.9.9,  CVE-2019-17267",
        "org.apache.commons:commons-compress:1.25.0,         CVE-2024-25710",
    })
    void theCopyFindsVersionsThatAreKnownToBeAffected(String library, String cve) throws IOException {
        assertThat(Advisories.read(COPY).findings(libraries(library))).anyMatch(finding -> names(finding, cve));
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty:netty-codec-http2:4.1.124.Final, CVE-2025-55163",
        "io.netty:netty-handler:4.1.118.Final,     CVE-2025-24970",
        "io.netty:netty-handler:4.1.90.Final,      CVE-2025-24970",
        "org.lz4:lz4-java:1.8.1,                   CVE-2025-12183",
        "at.yawk.lz4:lz4-java:1.10.1,              CVE-2025-66566",
        "org.xerial.snappy:snappy-java:1.1.10.4,   CVE-2023-43642",
        "org.apache.commons:commons-compress:1.26.0, CVE-2024-25710",
    })
    void theCopyLeavesVersionsBeforeAndAfterAlone(String library, String cve) throws IOException {
        assertThat(Advisories.read(COPY).findings(libraries(library))).noneMatch(finding -> names(finding, cve));
    }

    /** Versions are compared as by Maven, which is neither as text nor number by number. */
    @ParameterizedTest
    @CsvSource({
        "1.0,       true",
        "1.1-beta,  true",
        "1.2-rc1,   true",
        "1.2,       false",
        "1.2.Final, false",
        "1.10,      false",
        "1.0-alpha, false",
        "0.9,       false",
    })
    void rangesFollowTheOrderOfMaven(String version, boolean affected) {
        assertThat(new Range("1.0", "1.2", null).contains(version)).isEqualTo(affected);
    }

    @Test
    void aRangeMayHaveNoStartAndNoEnd() {
        assertThat(new Range("0", null, null).contains("0-alpha")).isTrue();
        assertThat(new Range("0", null, null).contains("99")).isTrue();
        assertThat(new Range("0", null, "2.0").contains("2.0")).isTrue();
        assertThat(new Range("0", null, "2.0").contains("2.0.1")).isFalse();
    }

    @Test
    void ourOwnModulesAreNotLookedUp() throws IOException {
        assertThat(libraries("io.overdrive:overdrive-core:1", "g:a:1.1")).containsExactly(OLD);
    }

    @Test
    void aFindingSaysWhatToDo() {
        assertThat(new Acceptances(List.of()).problems(ONE.findings(List.of(OLD)), DATE))
                .containsExactly("g:a 1.1: GHSA-1: it breaks (fixed in 1.2); take a version without it");
    }

    @Test
    void aLibraryThatTheCopyDoesNotCoverIsAFinding() {
        assertThat(new Acceptances(List.of()).problems(ONE.findings(List.of(new Library("g:new", "1"))), DATE))
                .containsExactly("g:new 1: not-looked-up: the copy of the advisories of 2026-11-01 does not cover it;"
                        + " refresh the copy with scripts/advisories.py");
    }

    @Test
    void anAcceptedFindingIsNoProblem() {
        Acceptances accepted =
                new Acceptances(List.of(new Acceptance("GHSA-1", "g:a", "we never call it", DATE.plusDays(1))));
        assertThat(accepted.problems(ONE.findings(List.of(OLD)), DATE)).isEmpty();
        assertThat(accepted.problems(ONE.findings(List.of(OLD)), DATE.plusDays(2)))
                .containsExactly("accepted.json accepts GHSA-1 of g:a until 2026-11-02, and the advisories are of"
                        + " 2026-11-03; take a version without it, or decide about it again");
    }

    @Test
    void anAcceptanceThatNothingNeedsIsAProblem() {
        Acceptances accepted = new Acceptances(List.of(new Acceptance("GHSA-1", "g:a", "we never call it", DATE)));
        assertThat(accepted.problems(ONE.findings(List.of(new Library("g:a", "1.2"))), DATE))
                .containsExactly(
                        "accepted.json accepts GHSA-1 of g:a, which affects no library of this version; remove it");
    }

    @Test
    void anAcceptanceNeedsAReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Acceptance("GHSA-1", "g:a", " ", DATE))
                .withMessage("no reason to accept GHSA-1 of g:a");
    }
}
