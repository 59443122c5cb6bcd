package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** ARCHITECTURE.md is true: its types and members exist, and modules use only what it says. Reads sources as text. */
class ArchitectureTest {
    /** What the sources of a module may name. */
    private static final Map<String, Set<String>> ARROWS = Map.of(
            "core", Set.of("core"),
            "local", Set.of("local"),
            "files", Set.of("files", "core"),
            "bench", Set.of("bench", "local", "core"),
            "cli", Set.of("cli", "files", "bench", "local", "core"),
            "spark", Set.of("spark", "core"),
            "jmh", Set.of("jmh", "files", "core"));

    /** Comments, and strings, which may hold what looks like the start of one. */
    private static final Pattern COMMENT =
            Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*\"|/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);

    private static final Pattern DECLARATION = Pattern.compile("\\b(?:class|interface|enum|record)\\s+([A-Z]\\w*)");
    private static final Pattern NAMED_PACKAGE = Pattern.compile("\\bio\\.overdrive\\.(\\w+)");
    private static final Pattern FENCED = Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    /** CamelCase with a lower-case letter, and the member after it, if any; flags such as -Dquick are none. */
    private static final Pattern TYPE =
            Pattern.compile("(?<![\\w/-])([A-Z][A-Z0-9]*[a-z]\\w*)(?:\\.([a-z]\\w*))?(?![\\w/-])");

    private static final Path ROOT = root();
    /** Source files of src/main/java of all modules, and what is in them. */
    private static final Map<Path, String> SOURCES = new TreeMap<>();

    @BeforeAll
    static void readSources() throws IOException {
        for (String module : ARROWS.keySet()) {
            try (Stream<Path> walk =
                    Files.walk(ROOT.resolve("overdrive-" + module).resolve("src/main/java"))) {
                walk.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> SOURCES.put(ROOT.relativize(file), read(file)));
            }
        }
    }

    private static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("ARCHITECTURE.md"))) {
                return at;
            }
        }
        throw new IllegalStateException("no repository above the working directory");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void architectureNamesOnlyTypesAndMembersThatExist() {
        Map<String, String> sourceOfType = new HashMap<>();
        SOURCES.values().forEach(source -> {
            String code = COMMENT.matcher(source).replaceAll("");
            DECLARATION.matcher(code).results().forEach(d -> sourceOfType.merge(d.group(1), code, String::concat));
        });
        String text = FENCED.matcher(read(ROOT.resolve("ARCHITECTURE.md"))).replaceAll("");
        Set<String> unknown = new TreeSet<>();
        Set<String> known = new HashSet<>();
        for (MatchResult span : CODE.matcher(text).results().toList()) {
            for (MatchResult name : TYPE.matcher(span.group(1)).results().toList()) {
                String source = sourceOfType.get(name.group(1));
                String member = name.group(2);
                boolean exists = source != null
                        && (member == null
                                || Pattern.compile("\\b" + member + "\\b")
                                        .matcher(source)
                                        .find());
                (exists ? known : unknown).add(name.group());
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(known).as("names that were recognized").hasSizeGreaterThan(20);
    }

    @Test
    void modulesNameOnlyModulesBelowThem() {
        Set<String> wrong = new TreeSet<>();
        SOURCES.forEach((file, source) -> {
            String module = file.getName(0).toString().substring("overdrive-".length());
            Matcher names = NAMED_PACKAGE.matcher(source);
            while (names.find()) {
                String named = ARROWS.containsKey(names.group(1)) ? names.group(1) : "core";
                if (!ARROWS.getOrDefault(module, Set.of()).contains(named)) {
                    wrong.add(file + " names " + names.group());
                }
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void onlyWireAndRingKnowTheDriversInternals() {
        List<String> files = SOURCES.entrySet().stream()
                .filter(e -> e.getValue().contains("com.datastax.oss.driver.internal."))
                .map(e -> e.getKey().getFileName().toString())
                .toList();
        assertThat(files).containsExactlyInAnyOrder("Wire.java", "Ring.java");
    }
}
