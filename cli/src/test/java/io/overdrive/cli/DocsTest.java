package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Commands, options and tests of Overdrive that pages name exist, and links from page to page lead somewhere. */
class DocsTest {
    private static final Path ROOT = root();
    private static final Pattern FENCE = Pattern.compile("(?ms)^```([a-z]*)[^\\n]*\\n(.*?)^```$");
    private static final Pattern COMMAND = Pattern.compile("(?:\\$ )?(?:\\./)?overdrive .*|docker run .*overdrive:.*");
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    /** A list as in a manifest of Kubernetes and in Python: the words of a command, each in quotes. */
    private static final Pattern LIST = Pattern.compile("(?s)\\b(?:args: |arguments=)\\[(.*?)\\]");

    private static final Pattern OPERATOR = Pattern.compile("bash_command=\"([^\"]*)\"");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*[a-z]");
    /** "…" leaves something out, COMMAND and single letters stand for what a user chooses. */
    private static final Pattern STANDS_FOR_ANOTHER = Pattern.compile("…|^(?:COMMAND|[A-Z])$");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    /** A class of tests, and maybe one of its methods; {@code *Test} stands for all. */
    private static final Pattern TEST =
            Pattern.compile("(?<![\\w/*.-])([A-Z]\\w*[a-z]\\w*(?:Test|IT))(?:[.#]([a-z]\\w*))?(?!\\w)");
    /** Options of Spark that pages name. */
    private static final Set<String> OF_SPARK = Set.of("--conf", "--files", "--jars", "--packages", "--repositories");

    private static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("CONTRIBUTING.md"))) {
                return at;
            }
        }
        throw new IllegalStateException("no repository above the working directory");
    }

    /** The text of each page, by its path. */
    private static Map<String, String> pages() throws IOException {
        Map<String, String> pages = new LinkedHashMap<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            for (Path page : Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                pages.put(ROOT.relativize(page).toString(), Files.readString(page));
            }
        }
        return pages;
    }

    static String page(String name) throws IOException {
        return Files.readString(ROOT.resolve(name));
    }

    /** The commands of a page's blocks of code. */
    private static List<String> commands(String page) {
        List<String> commands = new ArrayList<>();
        FENCE.matcher(page).results().forEach(fence -> fence.group(2)
                .replaceAll("\\\\\\R\\s*", "")
                .lines()
                .filter(line -> COMMAND.matcher(line).matches())
                .forEach(commands::add));
        OPERATOR.matcher(page).results().forEach(command -> commands.add(command.group(1)));
        return commands;
    }

    /** Code within the text of a page. */
    private static Stream<String> codeInText(String page) {
        return CODE.matcher(FENCE.matcher(page).replaceAll("")).results().map(code -> code.group(1));
    }

    /** Commands in blocks that are marked as a shell's, which GuidesIT runs. */
    static List<String> commandsToRun(String page) {
        return FENCE.matcher(page)
                .results()
                .filter(fence -> fence.group(1).equals("sh"))
                .flatMap(fence -> fence.group(2).lines())
                .filter(line -> line.startsWith("overdrive "))
                .toList();
    }

    @Test
    void eachCommandIsValid() throws IOException {
        List<String> wrong = new ArrayList<>();
        pages().forEach((name, page) -> {
            commands(page).forEach(line -> wrong.addAll(mistakes(name, line, ShellLine.arguments(line))));
            LIST.matcher(page)
                    .results()
                    .forEach(list -> wrong.addAll(mistakes(name, list.group(), quoted(list.group(1)))));
            codeInText(page)
                    .filter(code -> COMMAND.matcher(code).matches())
                    .flatMap(code -> mistakes(name, code, ShellLine.arguments(code)).stream())
                    .filter(mistake -> !mistake.contains("Missing required parameter")) // only the command is named
                    .forEach(wrong::add);
        });
        assertThat(wrong).isEmpty();
    }

    private static List<String> quoted(String list) {
        return QUOTED.matcher(list).results().map(word -> word.group(1)).toList();
    }

    private static List<String> mistakes(String page, String command, List<String> arguments) {
        if (arguments.stream().anyMatch(word -> STANDS_FOR_ANOTHER.matcher(word).find())) {
            return List.of();
        }
        try {
            ShellLine.parse(arguments);
            return List.of();
        } catch (CommandLine.PicocliException e) {
            return List.of(page + ": " + command + ": " + e.getMessage());
        }
    }

    @Test
    void eachOptionExists() throws IOException {
        Set<String> known = HelpTextTest.commands().values().stream()
                .flatMap(command -> command.getCommandSpec().options().stream())
                .flatMap(option -> Stream.of(option.names()))
                .collect(Collectors.toCollection(TreeSet::new));
        known.addAll(OF_SPARK);
        List<String> unknown = new ArrayList<>();
        pages().forEach((name, page) -> codeInText(page)
                .map(code -> code.replaceFirst("[ =].*", ""))
                .filter(word -> OPTION.matcher(word).matches() && !known.contains(word))
                .filter(word -> !known.contains(word.replaceFirst("^--no-", "--")))
                .forEach(word -> unknown.add(name + ": " + word)));
        assertThat(unknown).isEmpty();
    }

    @Test
    void eachLinkLeadsToAFileAndItsHeading() throws IOException {
        Map<String, String> pages = pages();
        List<String> broken = new ArrayList<>();
        pages.forEach((name, page) -> {
            for (MatchResult link :
                    LINK.matcher(FENCE.matcher(page).replaceAll("")).results().toList()) {
                String target = link.group(1);
                if (!target.contains("://") && !leadsSomewhere(name, target, pages)) {
                    broken.add(name + ": " + target);
                }
            }
        });
        assertThat(broken).isEmpty();
    }

    @Test
    void eachTestExists() throws IOException {
        Map<String, String> sources = sourcesOfTests();
        List<String> missing = new ArrayList<>();
        pages().forEach((name, page) -> codeInText(page)
                .flatMap(code -> TEST.matcher(code).results())
                .filter(test -> !hasTest(sources, test.group(1), test.group(2)))
                .forEach(test -> missing.add(name + ": " + test.group())));
        assertThat(missing).isEmpty();
    }

    /** The text of the tests in all modules, by the names of their classes. */
    private static Map<String, String> sourcesOfTests() throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT)) {
            for (Path module : modules) {
                Path src = module.resolve("src");
                if (!Files.isDirectory(src)) {
                    continue;
                }
                try (Stream<Path> files = Files.walk(src)) {
                    for (Path file : files.filter(file -> file.toString().matches(".*(?:Test|IT)\\.(?:java|scala)"))
                            .toList()) {
                        String type = file.getFileName().toString().replaceFirst("\\..*", "");
                        sources.merge(type, Files.readString(file), String::concat);
                    }
                }
            }
        }
        return sources;
    }

    private static boolean hasTest(Map<String, String> sources, String type, @Nullable String method) {
        String source = sources.get(type);
        return source != null
                && (method == null
                        || Pattern.compile("\\b(?:void|def) " + method + "\\(")
                                .matcher(source)
                                .find());
    }

    private static boolean leadsSomewhere(String from, String target, Map<String, String> pages) {
        Path page = ROOT.resolve(from);
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(file)) {
            return false;
        }
        return parts.length == 1
                || file.endsWith("ledger.json") && rows(file).contains(parts[1])
                || anchors(pages.getOrDefault(ROOT.relativize(file).toString(), ""))
                        .contains(parts[1]);
    }

    /** The names that the page of the ledger gives to its rows. */
    private static Set<String> rows(Path ledger) {
        try {
            return Pattern.compile("(?m)^\\{\"id\":\"(\\w+)\"")
                    .matcher(Files.readString(ledger))
                    .results()
                    .map(row -> row.group(1).toLowerCase(Locale.ROOT))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The names that web pages of repositories give to headings. */
    private static Set<String> anchors(String page) {
        return HEADING.matcher(FENCE.matcher(page).replaceAll(""))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }
}
