package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.overdrive.dist.Advisories.Advisory;
import io.overdrive.dist.Advisories.Finding;
import io.overdrive.dist.Advisories.Library;
import io.overdrive.dist.Advisories.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The libraries of this version, or of a release that {@code release.directory} names, against the offline copy of advisories. Needs
 * no network, and prints how old the copy is; SECURITY.md says what it does not see.
 */
class AdvisoriesIT {
    private static final int OLD_DAYS = 30;

    private final Path directory;

    AdvisoriesIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Path sbom() {
        String release = System.getProperty("release.directory", "");
        return Path.of(release.isEmpty() ? "target" : release).resolve(System.getProperty("sbom.name", ""));
    }

    @Test
    void noLibraryHasAnAdvisoryThatNobodyAccepted() throws IOException {
        boolean isOffline = "offline=true".equals(System.getProperty("maven.mode"));
        assumeTrue(Files.exists(sbom()) || !isOffline, "offline, Maven makes no SBOM");
        Advisories advisories = Advisories.read(AdvisoriesTest.COPY);
        Acceptances accepted = Acceptances.read(AdvisoriesTest.ACCEPTED);
        List<Library> libraries = Advisories.libraries(sbom());
        List<Finding> findings = advisories.findings(libraries);
        long days = ChronoUnit.DAYS.between(advisories.date(), LocalDate.now());
        System.err.printf(
                "%s: %d libraries, and %d advisories of %s, %d days old%n",
                sbom().getFileName(), libraries.size(), advisories.advisories().size(), advisories.date(), days);
        if (days > OLD_DAYS) {
            System.err.println("WARNING: newer advisories are not known; refresh them with scripts/advisories.py");
        }
        accepted.acceptances()
                .forEach(each -> System.err.printf(
                        "accepted until %s: %s of %s: %s%n", each.until(), each.id(), each.name(), each.reason()));
        assertThat(libraries).extracting(Library::name).contains("org.apache.cassandra:java-driver-core");
        assertThat(accepted.problems(findings, advisories.date())).isEmpty();
    }

    /** Records as OSV and GitHub have them: of several libraries, without a repaired version, withdrawn, and of other ecosystems. */
    @Test
    void theScriptKeepsWhatTheCheckNeeds() throws Exception {
        assumeTrue(python("--version") == 0, "no python3 on this machine, which refreshes the copy");
        Path sbom = Files.writeString(
                directory.resolve("sbom"),
                """
                {"components": [
                  {"group": "io.overdrive", "name": "overdrive-core", "version": "1"},
                  {"group": "g", "name": "a", "version": "1"},
                  {"group": "g", "name": "b", "version": "1"}]}
                """);
        Path source = Files.createDirectories(directory.resolve("records/2026"));
        Files.writeString(
                source.resolve("GHSA-1.json"),
                """
                {"id": "GHSA-1", "aliases": ["CVE-1"], "summary": "it breaks", "modified": "2026-03-02T10:00:00Z", "affected": [
                  {"package": {"ecosystem": "Maven", "name": "g:a"},
                   "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2"}]}]},
                  {"package": {"ecosystem": "Maven", "name": "g:a"},
                   "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "2.0"}, {"last_affected": "2.3"}]}]},
                  {"package": {"ecosystem": "Maven", "name": "g:b"},
                   "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}]}],
                   "database_specific": {"last_known_affected_version_range": "<= 7"}},
                  {"package": {"ecosystem": "npm", "name": "g:a"}, "versions": ["9"]},
                  {"package": {"ecosystem": "Maven", "name": "g:other"}, "versions": ["9"]}],
                 "database_specific": {"severity": "HIGH"}}
                """);
        Files.writeString(
                source.resolve("GHSA-2.json"),
                """
                {"id": "GHSA-2", "modified": "2026-03-05T10:00:00Z", "withdrawn": "2026-03-05T10:00:00Z", "affected": [
                  {"package": {"ecosystem": "Maven", "name": "g:a"}, "versions": ["9"]}]}
                """);
        Path copy = directory.resolve("copy");
        assertThat(python(
                        "../scripts/advisories.py",
                        directory.resolve("records").toString(),
                        "--sbom",
                        sbom.toString(),
                        "--output",
                        copy.toString()))
                .isZero();
        Advisories advisories = Advisories.read(copy);
        assertThat(advisories.date()).isEqualTo("2026-03-05");
        assertThat(advisories.names()).contains("g:a", "g:b").doesNotContain("io.overdrive:overdrive-core");
        assertThat(advisories.advisories())
                .containsExactly(
                        new Advisory(
                                "GHSA-1",
                                "g:a",
                                List.of(new Range("0", "1.2", null), new Range("2.0", null, "2.3")),
                                "it breaks (CVE-1, severity HIGH, fixed in 1.2)"),
                        new Advisory(
                                "GHSA-1",
                                "g:b",
                                List.of(new Range("0", null, "7")),
                                "it breaks (CVE-1, severity HIGH)"));
    }

    private static int python(String... arguments) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3"));
        command.addAll(List.of(arguments));
        try {
            return new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            return -1; // not installed
        }
    }
}
