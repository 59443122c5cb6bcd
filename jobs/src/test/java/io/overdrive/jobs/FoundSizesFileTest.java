package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FoundSizesFileTest {
    private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");

    private final Path file;

    FoundSizesFileTest(@TempDir Path directory) {
        this.file = directory.resolve("state/overdrive/found-sizes.json");
    }

    private FoundSizesFile at(Instant time) {
        return new FoundSizesFile(file, Clock.fixed(time, ZoneOffset.UTC));
    }

    @Test
    void laterRunsFindWhatEarlierOnesKept() {
        assertThat(at(NOW).find("a/ks.t/1/pageBytes")).isEmpty();
        at(NOW).keep("a/ks.t/1/pageBytes", 1 << 20);
        at(NOW).keep("a/ks.t/1/splitsInFlight", 8);
        at(NOW).keep("a/ks.t/1/pageBytes", 1 << 18);
        assertThat(at(NOW).find("a/ks.t/1/pageBytes")).hasValue(1 << 18);
        assertThat(at(NOW).find("a/ks.t/1/splitsInFlight")).hasValue(8);
        assertThat(at(NOW).find("a/ks.t/2/pageBytes")).isEmpty();
    }

    @Test
    void isSmallReadableJson() {
        at(NOW).keep("dev-1f/ks.\"t\"/1/pageBytes", 65536);
        assertThat(file)
                .hasContent(
                        """
                {
                  "dev-1f/ks.\\"t\\"/1/pageBytes" : {
                    "value" : 65536,
                    "at" : "2026-05-01T12:00:00Z"
                  }
                }""");
    }

    @Test
    void valuesAreForgottenAfterThirtyDays() {
        at(NOW).keep("a", 1);
        Instant later = NOW.plus(Duration.ofDays(30));
        assertThat(at(later).find("a")).hasValue(1);
        at(later).keep("b", 2);
        Instant tooLate = later.plusSeconds(1);
        assertThat(at(tooLate).find("a")).isEmpty();
        at(tooLate).keep("c", 3);
        assertThat(file).content().doesNotContain("\"a\"").contains("\"b\"", "\"c\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{\"a\": 1}",
                "{\"a\": {\"value\": 1}}",
                "{\"a\": {\"value\": 1e99, \"at\": \"2026-05-01T12:00:00Z\"}}",
                "{\"a\": {\"value\": 1, \"at\": \"yesterday\"}}",
                "{\"a\": {\"value\": 1, \"at\": \"2026-05-01T12:00:00Z\"}",
                "\0\0\0"
            })
    void aBrokenFileCountsAsEmptyAndIsReplaced(String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        assertThat(at(NOW).find("a")).isEmpty();
        at(NOW).keep("b", 2);
        assertThat(at(NOW).find("b")).hasValue(2);
    }

    @Test
    void aFileThatCannotBeWrittenFailsNothing() throws IOException {
        Files.createDirectories(file.getParent());
        Files.createDirectories(file.resolve("a directory in place of the file"));
        at(NOW).keep("a", 1);
        assertThat(at(NOW).find("a")).isEmpty();
    }

    @Test
    void concurrentRunsLeaveAWholeFile() throws Exception {
        List<Thread> runs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int run = i;
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 50; n++) {
                    at(NOW).keep("run " + run, n);
                }
            });
            thread.start();
            runs.add(thread);
        }
        for (Thread thread : runs) {
            thread.join();
        }
        assertThat(runs.stream()
                        .filter(run -> at(NOW).find("run " + runs.indexOf(run)).isPresent()))
                .isNotEmpty();
        try (var files = Files.list(file.getParent())) {
            assertThat(files).containsExactly(file);
        }
    }
}
