package blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Overdrive;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.formats.records.InputFile;
import io.overdrive.jobs.keys.KeyOptions;
import io.overdrive.jobs.keys.KeyRows;
import io.overdrive.jobs.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The example of docs/guides/java.md that needs this module: compiled here as by a user, and identical there. */
class KeyRowsExampleTest {
    private static final String NAME = "java.md";

    static void found(@Nullable String name) {
        System.out.println(name);
    }

    static void read(Overdrive overdrive) {
        // java.md
        LoadOptions file =
                LoadOptions.of(List.of(InputFile.of(Path.of("ids.csv")))).build();
        KeyOptions ids = KeyOptions.of(file, /* spillDirectory */ Path.of("/var/tmp"));
        ScanOptions orders = ScanOptions.from("shop", "orders").build();
        try (KeyRows keys = KeyRows.open(overdrive, orders, ids);
                Scan scan = overdrive.scan(orders.toBuilder().source(keys).build())) {
            scan.forEach(4, row -> found(row.text(0)));
            System.out.println(keys.missing().count() + " of " + keys.keys() + " keys have no row");
        }
        // java.md end
    }

    @Test
    void pageOnJavaHoldsTheExampleAsItIsCompiled() throws IOException {
        Path root = Path.of("").toAbsolutePath().endsWith("jobs") ? Path.of("..") : Path.of("");
        String source = Files.readString(root.resolve("jobs/src/test/java/blackbox/KeyRowsExampleTest.java"));
        String start = "// " + NAME + "\n";
        int from = source.indexOf(start) + start.length();
        String example = source.substring(from, source.indexOf("// " + NAME + " end", from));
        assertThat(Files.readString(root.resolve("docs/guides/java.md")))
                .contains("```java\n" + example.stripIndent().strip() + "\n```");
    }
}
