package blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ConnectOptions;
import io.overdrive.GuardLimit;
import io.overdrive.Overdrive;
import io.overdrive.PemFiles;
import io.overdrive.RejectedRow;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.WireCompression;
import io.overdrive.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The examples in Java of the README and of docs/guides/java.md: compiled here as by a user, and identical there. */
class ReadmeExampleTest {
    private static final Path SOURCE = Path.of("core", "src", "test", "java", "blackbox", "ReadmeExampleTest.java");

    record User(long id, String name) {}

    record Event(int sensor, long time, double value) {}

    static void write(Iterable<User> source, List<RejectedRow> rejected) {
        // README
        WriteOptions options = WriteOptions.into("shop", "users")
                .columns("id", "name", "note")
                .onReject(rejected::add) // without a handler, the first such row fails the writer
                .build();
        try (Overdrive overdrive = Overdrive.connect(ConnectOptions.to("10.0.0.1:9042", "dc1"));
                RowWriter users = overdrive.writer(options)) {
            for (User user : source) {
                users.row().setLong(0, user.id()).setText(1, user.name()); // "note" stays as it is
                users.send(); // waits while too much is in flight
            }
        } // close() waits until every row is acknowledged or rejected
        // README end
    }

    static List<ConnectOptions> connect(String token) {
        // java.md connecting
        ConnectOptions nodes = ConnectOptions.builder()
                .contactPoint("nodes.example") // all addresses of the name
                .tls(PemFiles.context(Path.of("ca.pem"), Path.of("client.pem"), Path.of("client.key"), null))
                .wireCompression(WireCompression.LZ4)
                .build();
        ConnectOptions astra = ConnectOptions.builder()
                .bundle(Path.of("secure-connect.zip"))
                .credentials("token", token)
                .build();
        // java.md connecting end
        return List.of(nodes, astra);
    }

    static ConnectOptions guarded() {
        // java.md guard
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint("10.0.0.1")
                .guard(GuardLimit.p99(Duration.ofMillis(20)))
                .build();
        // java.md guard end
        return options;
    }

    static void writeAndWait(RowWriter writer, Iterable<Event> events) {
        // java.md
        List<CompletableFuture<?>> pending = new ArrayList<>();
        for (Event event : events) {
            writer.row().setInt(0, event.sensor()).setLong(1, event.time()).setDouble(2, event.value());
            pending.add(writer.sendAsync());
        }
        writer.flush(); // does not wait for the linger
        CompletableFuture.allOf(pending.toArray(new CompletableFuture<?>[0])).join(); // throws unless all are written
        // java.md end
    }

    static void read(Overdrive overdrive) {
        // java.md reading
        try (Scan scan = overdrive.scan(
                ScanOptions.from("shop", "users").columns("id", "name").build())) {
            scan.forEach(4, row -> System.out.println(row.getLong(0) + " " + row.text(1)));
        }
        // java.md reading end
    }

    @Test
    void readmeHoldsTheExampleAsItIsCompiled() throws IOException {
        Path root = root();
        assertThat(Files.readString(root.resolve("README.md"))).contains(example(root, "README"));
    }

    @Test
    void pageOnJavaHoldsTheExampleAsItIsCompiled() throws IOException {
        Path root = root();
        assertThat(Files.readString(root.resolve("docs/guides/java.md")))
                .contains(
                        example(root, "java.md connecting"),
                        example(root, "java.md"),
                        example(root, "java.md reading"),
                        example(root, "java.md guard"));
    }

    private static String example(Path root, String name) throws IOException {
        String source = Files.readString(root.resolve(SOURCE));
        String start = "// " + name + "\n";
        int from = source.indexOf(start) + start.length();
        String example = source.substring(from, source.indexOf("// " + name + " end", from));
        return "```java\n" + example.stripIndent().strip() + "\n```";
    }

    @Test
    void pageOnJavaNamesTheVersionThatIsBuilt() throws IOException {
        Path root = root();
        String pom = Files.readString(root.resolve("pom.xml"));
        int from = pom.indexOf("<version>", pom.indexOf("<artifactId>overdrive-parent"));
        String version = pom.substring(from, pom.indexOf("</version>", from));
        assertThat(Files.readString(root.resolve("docs/guides/java.md")))
                .contains("<artifactId>overdrive-core</artifactId>\n  " + version);
    }

    private static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(SOURCE))) {
                return at;
            }
        }
        throw new IllegalStateException("no repository above the working directory");
    }
}
