package io.overdrive.cli;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks ARCHITECTURE.md and the pages of docs/design: their types and members exist, and modules use only the modules that they may. Reads
 * sources as text.
 */
class ArchitectureTest {
    /** Folders of modules, and the first parts of the packages that their sources may name; that of core stands for its public API, too. */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            entry("core", Set.of("core")),
            entry("local", Set.of("local")),
            entry("simulated", Set.of("simulated")),
            entry("sstable", Set.of("sstable", "core")),
            entry("formats", Set.of("formats", "core")),
            entry("stores", Set.of("stores", "core")),
            entry("sql", Set.of("sql", "jobs", "core")),
            entry("jobs", Set.of("jobs", "formats", "sstable", "core")),
            entry("experiments", Set.of("bench", "local", "core")),
            entry("cli", Set.of("cli", "jobs", "formats", "sstable", "bench", "local", "simulated", "core")),
            entry("spark", Set.of("spark", "sstable", "core")),
            entry("spark-scala", Set.of("spark", "core")),
            entry("jmh", Set.of("jmh", "jobs", "formats", "sstable", "core")),
            entry("dist", Set.of("dist", "cli")));

    private static final String ROOT_PACKAGE = "io.overdrive";
    /**
     * All packages below {@link #ROOT_PACKAGE}, and the packages of its module that each may name. Core's public API is not
     * among them: all of core may use it.
     */
    private static final Map<String, Set<String>> PACKAGES = Map.ofEntries(
            entry("internal.codec", Set.of()),
            entry("internal.cql", Set.of("internal.codec", "internal.connect", "internal.flow", "internal.names")),
            entry("internal.names", Set.of()),
            entry("internal.connect", Set.of()),
            entry("internal.ring", Set.of("internal.codec", "internal.names")),
            entry("internal.flow", Set.of()),
            entry("internal.guard", Set.of("internal.flow", "internal.request", "internal.ring", "internal.wire")),
            entry(
                    "internal.wire",
                    Set.of(
                            "internal.codec",
                            "internal.connect",
                            "internal.cql",
                            "internal.flow",
                            "internal.names",
                            "internal.ring")),
            entry("internal.request", Set.of("internal.flow", "internal.names", "internal.ring", "internal.wire")),
            entry(
                    "internal.write",
                    Set.of(
                            "internal.codec",
                            "internal.cql",
                            "internal.flow",
                            "internal.names",
                            "internal.request",
                            "internal.ring",
                            "internal.wire")),
            entry(
                    "internal.scan",
                    Set.of(
                            "internal.codec",
                            "internal.cql",
                            "internal.flow",
                            "internal.names",
                            "internal.request",
                            "internal.ring",
                            "internal.wire")),
            entry("internal.disk", Set.of("internal.names")),
            entry("internal.estimate", Set.of()),
            entry("formats.hints", Set.of()),
            entry("formats.manifest", Set.of()),
            entry("formats.text", Set.of("formats.hints")),
            entry("formats.columns", Set.of("formats.text")),
            entry("formats.arrow", Set.of("formats.columns")),
            entry("formats.parquet", Set.of("formats.text", "formats.columns")),
            entry(
                    "formats.records",
                    Set.of("formats.text", "formats.columns", "formats.arrow", "formats.parquet", "formats.manifest")),
            entry("jobs", Set.of("jobs.expression")),
            entry("jobs.expression", Set.of()),
            entry("jobs.journal", Set.of()),
            entry("jobs.bottleneck", Set.of()),
            entry("jobs.sql", Set.of("jobs")),
            entry("jobs.load", Set.of("jobs", "jobs.bottleneck", "jobs.expression", "jobs.journal", "jobs.sql")),
            entry("jobs.create", Set.of("jobs", "jobs.load")),
            entry("jobs.unload", Set.of("jobs", "jobs.bottleneck", "jobs.expression", "jobs.journal", "jobs.sql")),
            entry("jobs.copy", Set.of("jobs", "jobs.bottleneck", "jobs.create", "jobs.expression", "jobs.journal")),
            entry("jobs.sort", Set.of("jobs")),
            entry("jobs.keys", Set.of("jobs", "jobs.load", "jobs.sort")),
            entry("jobs.diff", Set.of("jobs", "jobs.bottleneck", "jobs.journal", "jobs.sort")),
            entry("jobs.verify", Set.of("jobs", "jobs.bottleneck", "jobs.diff", "jobs.load", "jobs.sort")),
            entry(
                    "jobs.sstables",
                    Set.of("jobs", "jobs.bottleneck", "jobs.copy", "jobs.create", "jobs.journal", "jobs.load")),
            entry("jobs.count", Set.of("jobs", "jobs.journal")),
            entry("jobs.tables", Set.of("jobs", "jobs.create", "jobs.journal", "jobs.sstables")),
            entry("jobs.profile", Set.of("jobs", "jobs.create", "jobs.load")),
            entry("sstable", Set.of("sstable.read", "sstable.write")),
            entry("sstable.format", Set.of()),
            entry("sstable.write", Set.of("sstable.format")),
            entry("sstable.read", Set.of("sstable.format")),
            entry("sstable.sort", Set.of("sstable.format", "sstable.write")),
            entry("sstable.handover", Set.of("sstable.format", "sstable.sort", "sstable.write")),
            entry("spark", Set.of("spark.cell", "spark.config", "spark.join", "spark.read", "spark.write")),
            entry("spark.config", Set.of()),
            entry("spark.cell", Set.of()),
            entry("spark.metric", Set.of()),
            entry("spark.read", Set.of("spark.cell", "spark.config", "spark.metric")),
            entry("spark.write", Set.of("spark.cell", "spark.config", "spark.metric", "spark.read")),
            entry("spark.join", Set.of("spark.cell", "spark.config", "spark.metric", "spark.read")),
            entry("bench", Set.of("bench.stress")),
            entry("bench.run", Set.of("bench", "bench.experiments", "bench.stress", "bench.report", "bench.spark")),
            entry("bench.report", Set.of("bench")),
            entry("bench.ledger", Set.of("bench", "bench.report")),
            entry("bench.stress", Set.of()),
            entry("bench.experiments", Set.of("bench", "bench.experiments.kit", "bench.stress", "bench.spark")),
            entry("bench.spark", Set.of("bench", "bench.experiments.kit", "bench.stress")),
            entry("bench.experiments.kit", Set.of("bench", "bench.stress")),
            entry("bench.tune", Set.of("bench", "bench.experiments.kit", "bench.stress", "bench.report", "bench.run")),
            entry("local", Set.of()),
            entry("simulated", Set.of()),
            entry("stores", Set.of()),
            entry("sql", Set.of()),
            entry("cli", Set.of("cli.config", "cli.options", "cli.report", "cli.watch")),
            entry("cli.config", Set.of()),
            entry("cli.options", Set.of("cli.config")),
            entry("cli.report", Set.of("cli.options", "cli.watch")),
            entry("cli.watch", Set.of("cli.options")),
            entry("jmh", Set.of()),
            entry("dist", Set.of()));

    private static final int MAX_FILES_OF_A_PACKAGE = 35;
    private static final int MAX_LINES = 500;
    private static final int MAX_LONG_FILES = 5;
    private static final int MAX_LINES_OF_A_METHOD = 59;
    private static final int MAX_PARAMETERS = 8;

    /** Methods with more parameters, and the reason. */
    private static final Map<String, String> LONG_CALLS = Map.of(
            "CassandraJavaUtil.mapRowToTuple", "another connector has the same call",
            "CassandraJavaUtil.mapTupleToRow", "another connector has the same call",
            "DirectJoinExec.<init>", "Spark copies a plan by its elements");

    private static final String FIGURES = "figures, made in one place and read by name";
    private static final String OPTIONS = "values, made by a builder or by methods that change one of them";
    private static final String STATE = "state that is passed on as a whole";

    /** Records of more parts, and the reason. */
    private static final Map<String, String> LARGE_RECORDS = Map.ofEntries(
            entry("Totals", FIGURES),
            entry("ScanTotals", FIGURES),
            entry("NodeTotals", FIGURES),
            entry("GuardTotals", FIGURES),
            entry("FlowDecision", FIGURES),
            entry("GatheringDecision", FIGURES),
            entry("Window", FIGURES),
            entry("Waits", FIGURES),
            entry("Reach", FIGURES),
            entry("Figures", FIGURES),
            entry("LoadSummary", FIGURES),
            entry("UnloadSummary", FIGURES),
            entry("CopySummary", FIGURES),
            entry("DiffSummary", FIGURES),
            entry("VerifySummary", FIGURES),
            entry("ProfileSummary", FIGURES),
            entry("Profile.Partitions", FIGURES),
            entry("Interval", FIGURES),
            entry("Result", FIGURES),
            entry("Answer", FIGURES),
            entry("TuneReport", FIGURES),
            entry("InputFormat", OPTIONS),
            entry("OutputFormat", OPTIONS),
            entry("UnloadOptions", OPTIONS),
            entry("ValueFormat", OPTIONS),
            entry("LocalOptions", OPTIONS),
            entry("SimulatedOptions", OPTIONS),
            entry("ColumnType", OPTIONS),
            entry("PreparedCql", STATE),
            entry("RowWriter.Shared", STATE),
            entry("ScanTask", STATE),
            entry("WriteTask", STATE),
            entry("WriteColumns", STATE));

    private static final Pattern QUALIFIED =
            Pattern.compile("\\bio\\.overdrive\\.([a-z]\\w*(?:\\.[a-z]\\w*)*)\\.[A-Z]");
    /** A line of the tree of packages in ARCHITECTURE.md. */
    private static final Pattern LEAF = Pattern.compile("^(io\\.overdrive[.\\w]*)  +\\S", Pattern.MULTILINE);

    /** A folder of test classes in a pom.xml. */
    private static final Pattern RUN_TESTS = Pattern.compile("\\.\\./([\\w-]+)/target/test-classes");

    /** Comments, and strings, which may contain the start of a comment. */
    private static final Pattern COMMENT =
            Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*\"|/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);

    private static final Pattern DECLARATION =
            Pattern.compile("\\b(?:class|interface|enum|record|object|trait)\\s+([A-Z]\\w*)");
    private static final Pattern NAMED_PACKAGE = Pattern.compile("\\bio\\.overdrive\\.(\\w+)");
    private static final Pattern FENCED = Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    /** CamelCase with a lower-case letter, and the member after it, if any; flags such as -Dquick are none. */
    private static final Pattern TYPE =
            Pattern.compile("(?<![\\w/-])([A-Z][A-Z0-9]*[a-z]\\w*)(?:\\.([a-z]\\w*))?(?![\\w/-])");

    private static final Path ROOT = root();
    /** Source files of src/main of all modules, and their text. */
    private static final Map<Path, String> SOURCES = new TreeMap<>();
    /** The source files of tests, by their names without endings. */
    private static final Map<String, String> TESTS = new TreeMap<>();

    /** A class of tests against nodes. */
    private static final Pattern NODE_TEST = Pattern.compile("\\b[A-Z]\\w*IT\\b");

    /** Comments need imports, too. */
    private static final Pattern IMPORT = Pattern.compile("^import .*$", Pattern.MULTILINE);

    @BeforeAll
    static void readSources() throws IOException {
        for (String module : ARROWS.keySet()) {
            try (Stream<Path> walk = Files.walk(ROOT.resolve(module).resolve("src/main"))) {
                walk.filter(file -> file.toString().matches(".*\\.(java|scala)"))
                        .forEach(file -> SOURCES.put(ROOT.relativize(file), read(file)));
            }
            Path tests = ROOT.resolve(module).resolve("src/test");
            if (Files.exists(tests)) {
                try (Stream<Path> walk = Files.walk(tests)) {
                    walk.filter(file -> file.toString().matches(".*\\.(java|scala)"))
                            .forEach(file -> TESTS.merge(
                                    file.getFileName().toString().replaceFirst("\\.\\w+$", ""),
                                    read(file),
                                    String::concat));
                }
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
    void designPagesNameOnlyTypesAndMembersThatExist() {
        Map<String, String> sourceOfType = new HashMap<>();
        SOURCES.values().forEach(source -> {
            String code = COMMENT.matcher(source).replaceAll("");
            DECLARATION.matcher(code).results().forEach(d -> sourceOfType.merge(d.group(1), code, String::concat));
        });
        String text = FENCED.matcher(designPages()).replaceAll("");
        Set<String> unknown = new TreeSet<>();
        Set<String> known = new HashSet<>();
        for (MatchResult span : CODE.matcher(text).results().toList()) {
            for (MatchResult name : TYPE.matcher(span.group(1)).results().toList()) {
                String source = sourceOfType.get(name.group(1));
                String member = name.group(2);
                boolean exists = source == null
                        ? member == null && TESTS.containsKey(name.group(1))
                        : member == null
                                || Pattern.compile("\\b" + member + "\\b")
                                        .matcher(source)
                                        .find();
                (exists ? known : unknown).add(name.group());
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(known).as("names that were recognized").hasSizeGreaterThan(20);
    }

    /** The text of ARCHITECTURE.md and of all pages of docs/design. */
    private static String designPages() {
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs/design"))) {
            return Stream.concat(Stream.of(ROOT.resolve("ARCHITECTURE.md")), pages.filter(page -> page.toString()
                            .endsWith(".md")))
                    .map(ArchitectureTest::read)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theMapIsShort() {
        assertThat(read(ROOT.resolve("ARCHITECTURE.md")).strip().split("\\s+")).hasSizeLessThanOrEqualTo(1000);
    }

    @Test
    void modulesNameOnlyModulesBelowThem() {
        Set<String> tops = ARROWS.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
        Set<String> wrong = new TreeSet<>();
        SOURCES.forEach((file, source) -> {
            String module = file.getName(0).toString();
            Matcher names = NAMED_PACKAGE.matcher(source);
            while (names.find()) {
                String named = tops.contains(names.group(1)) ? names.group(1) : "core";
                if (!ARROWS.getOrDefault(module, Set.of()).contains(named)) {
                    wrong.add(file + " names " + names.group());
                }
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void packagesNameOnlyPackagesThatTheyMay() {
        Set<String> wrong = new TreeSet<>();
        SOURCES.forEach((file, source) -> {
            String of = packageOf(file);
            Matcher names = QUALIFIED.matcher(COMMENT.matcher(source).replaceAll(""));
            while (names.find()) {
                String named = names.group(1);
                if (PACKAGES.containsKey(named)
                        && topOf(named).equals(topOf(of))
                        && !named.equals(of)
                        && !PACKAGES.getOrDefault(of, Set.of()).contains(named)) {
                    wrong.add(file + " names " + names.group());
                }
            }
        });
        assertThat(wrong).isEmpty();
    }

    /** They run in their modules only if they are named. */
    @Test
    void theBuildRunsTheTestsAgainstNodesOfEachModule() throws IOException {
        Set<String> run = Stream.of("it", "it-spark")
                .map(module -> read(ROOT.resolve(module).resolve("pom.xml")))
                .flatMap(pom -> RUN_TESTS.matcher(pom).results())
                .map(tests -> tests.group(1))
                .collect(Collectors.toSet());
        run.add("dist"); // all its tests run there
        Set<String> found = new TreeSet<>();
        for (String module : ARROWS.keySet()) {
            Path tests = ROOT.resolve(module).resolve("src/test");
            if (Files.exists(tests)) {
                try (Stream<Path> walk = Files.walk(tests)) {
                    if (walk.anyMatch(file -> file.toString().matches(".*IT\\.(java|scala)"))) {
                        found.add(module);
                    }
                }
            }
        }
        assertThat(run).containsAll(found); // and others, which these use
    }

    @Test
    void noPackagesNeedEachOther() {
        Set<String> left = new TreeSet<>(PACKAGES.keySet());
        boolean removes = true;
        while (removes) {
            removes = left.removeIf(
                    of -> PACKAGES.getOrDefault(of, Set.of()).stream().noneMatch(left::contains));
        }
        assertThat(left).isEmpty();
    }

    @Test
    void everyPackageIsSmallAndInTheTree() {
        Map<String, Integer> files = new TreeMap<>();
        SOURCES.keySet().forEach(file -> files.merge(packageOf(file), 1, Integer::sum));
        files.keySet()
                .removeIf(name -> name.startsWith("com.") || name.startsWith("org.")); // names of other connectors
        assertThat(files)
                .allSatisfy((name, count) ->
                        assertThat(count).as("files of %s", name).isLessThanOrEqualTo(MAX_FILES_OF_A_PACKAGE));
        Set<String> watched = new TreeSet<>(PACKAGES.keySet());
        watched.add(ROOT_PACKAGE);
        assertThat(files.keySet()).isEqualTo(watched);
        Set<String> tree = LEAF.matcher(read(ROOT.resolve("ARCHITECTURE.md")))
                .results()
                .map(leaf -> below(leaf.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(tree).isEqualTo(watched);
    }

    @Test
    void fewFilesAreLongAndEachSaysWhy() {
        Map<Path, String> longFiles = new TreeMap<>();
        SOURCES.forEach((file, text) -> {
            if (text.lines().count() > MAX_LINES) {
                longFiles.put(file, text);
            }
        });
        assertThat(longFiles.keySet()).hasSizeLessThanOrEqualTo(MAX_LONG_FILES);
        assertThat(longFiles)
                .allSatisfy((file, text) ->
                        assertThat(text).as(file.toString()).contains("Above " + MAX_LINES + " lines because"));
    }

    /** Takes seconds: the compiler parses all sources. */
    @Test
    void methodsAreShortAndHaveFewParameters() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Methods methods;
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<Path> sources = SOURCES.keySet().stream()
                    .filter(file -> file.toString().endsWith(".java"))
                    .map(ROOT::resolve)
                    .toList();
            JavacTask parser = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources));
            methods = new Methods(Trees.instance(parser).getSourcePositions());
            for (CompilationUnitTree source : parser.parse()) {
                methods.scan(new TreePath(source), "");
            }
        }
        assertThat(methods.lines).hasSizeGreaterThan(1000);
        assertThat(methods.lines)
                .allSatisfy((name, lines) ->
                        assertThat(lines).as("lines of %s", name).isLessThanOrEqualTo(MAX_LINES_OF_A_METHOD));
        assertThat(methods.longCalls).isEqualTo(LONG_CALLS.keySet());
        assertThat(methods.largeRecords).isEqualTo(LARGE_RECORDS.keySet());
    }

    /** Measures the methods of sources. The name of a class that has a method is passed on. */
    private static final class Methods extends TreePathScanner<Void, String> {
        /** Lines of the longest body of each name. */
        final Map<String, Long> lines = new TreeMap<>();

        final Set<String> longCalls = new TreeSet<>();
        final Set<String> largeRecords = new TreeSet<>();
        private final SourcePositions positions;
        /** Parts of the record that is read. */
        private long parts;

        Methods(SourcePositions positions) {
            this.positions = positions;
        }

        @Override
        public Void visitClass(ClassTree type, String outer) {
            String name = outer.isEmpty() ? type.getSimpleName().toString() : outer + "." + type.getSimpleName();
            long before = parts;
            parts = type.getKind() != Tree.Kind.RECORD
                    ? 0
                    : type.getMembers().stream().filter(Methods::isPart).count();
            if (parts > MAX_PARAMETERS) {
                largeRecords.add(name);
            }
            super.visitClass(type, name);
            parts = before;
            return null;
        }

        private static boolean isPart(Tree member) {
            return member instanceof VariableTree field
                    && !field.getModifiers().getFlags().contains(Modifier.STATIC);
        }

        @Override
        public Void visitMethod(MethodTree method, String type) {
            String name = type + "." + method.getName();
            int parameters = method.getParameters().size();
            boolean isOfRecord = method.getReturnType() == null && parameters == parts;
            if (parameters > MAX_PARAMETERS && !isOfRecord) {
                longCalls.add(name);
            }
            if (method.getBody() != null) {
                CompilationUnitTree source = getCurrentPath().getCompilationUnit();
                LineMap map = source.getLineMap();
                long from = map.getLineNumber(positions.getStartPosition(source, method.getBody()));
                long to = map.getLineNumber(positions.getEndPosition(source, method.getBody()));
                lines.merge(name, to - from + 1, Math::max);
            }
            return super.visitMethod(method, type);
        }
    }

    /** The package without the common prefix. */
    private static String packageOf(Path source) {
        Path folder = source.subpath(4, source.getNameCount() - 1); // behind x/src/main/java
        return below(folder.toString().replace(folder.getFileSystem().getSeparator(), "."));
    }

    private static String below(String name) {
        return name.startsWith(ROOT_PACKAGE + ".") ? name.substring(ROOT_PACKAGE.length() + 1) : name;
    }

    private static String topOf(String name) {
        return name.replaceFirst("\\..*", "");
    }

    /**
     * The keyspaces of a class of tests are dropped after it, also those that the fields of another class have created because it used them;
     * they are then missing when the other class runs in the same JVM.
     */
    @Test
    void noTestUsesATestAgainstNodes() {
        Set<String> used = new TreeSet<>();
        TESTS.forEach((test, source) -> {
            String code = IMPORT.matcher(COMMENT.matcher(source).replaceAll("")).replaceAll("");
            NODE_TEST.matcher(code).results().map(MatchResult::group).forEach(named -> {
                if (TESTS.containsKey(named) && !named.equals(test)) {
                    used.add(test + " uses " + named);
                }
            });
        });
        assertThat(used).isEmpty();
    }

    @Test
    void onlyTheseUseTheDriversInternals() {
        List<String> files = SOURCES.entrySet().stream()
                .filter(e -> e.getValue().contains("com.datastax.oss.driver.internal."))
                .map(e -> e.getKey().getFileName().toString())
                .toList();
        assertThat(files)
                .containsExactlyInAnyOrder(
                        "Wire.java",
                        "SessionSetup.java",
                        "RawContext.java",
                        "LargeAnswers.java",
                        "LazyPools.java",
                        "Preparing.java",
                        "Ring.java",
                        "Framing.java",
                        "ColumnType.scala");
    }

    /** Finds what Error Prone does not: the name of the encoding that the locale has, and sources in Scala. */
    @Test
    void textIsNeverReadOrWrittenInTheEncodingOfTheLocale() {
        assertThat(SOURCES).allSatisfy((file, text) -> assertThat(text)
                .as(file.toString())
                .doesNotContain("defaultCharset()", "getBytes()", "io.Source", "\"file.encoding\""));
    }
}
