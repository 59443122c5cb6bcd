package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sources and pages use no word that the tables of CONTRIBUTING.md list as retired, comments name what they are about, and cells of
 * tables are short.
 */
class WordsTest {
    private static final String GLOSSARY = "CONTRIBUTING.md";
    private static final Path ROOT = root();
    private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git");
    /** A row of a table in the glossary: the word to write is in the first cell, retired ones in code quotes in the last. */
    private static final Pattern TABLE_ROW =
            Pattern.compile("^\\| (.+?) \\|(?:.*\\|)? ([^|]*`[^|]*) \\|$", Pattern.MULTILINE);

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    /** The beginning of a doc comment. */
    private static final Pattern DOC_COMMENT = Pattern.compile("/\\*\\*[\\s*]*(\\S.*)");
    /** A comment that begins like this says neither what it is about nor what that does. */
    private static final Pattern HEADLESS = Pattern.compile(
            "(?!As \\{@link)(?:About|Above|Across|After|Against|Along|Among|Around|As|At|Because|Before|Behind|Below|Beside|Besides"
                    + "|Between|Beyond|By|During|Except|For|From|In|Instead|Into|Of|Off|On|Onto|Out|Over|Per|Since|That of|Those|Through"
                    + "|To|Towards|Under|Until|Up|Upon|What|With|Within|Without)\\b.*");

    private static final int MAX_CELL_WORDS = 30;
    /** Its cells are the help of the options, which {@link ConfigurationPageTest} compares. */
    private static final String PAGE_OF_HELP = "docs/reference/configuration.md";

    /** The border between two cells of a table. */
    private static final Pattern CELL_END = Pattern.compile("(?<!\\\\)\\|");
    /** A word of prose, or of a name in camel case or in capitals. */
    private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");
    /**
     * The gap between two words of a name or of prose, also if a line of a page, a comment or a string ends between
     * them.
     */
    private static final Pattern GAP = Pattern.compile("_?|\\s+(?:(?:\\*|//)\\s+)?|\\s*\"\\s*\\+\\s*\"\\s*");

    /**
     * Words that are not used any more.
     *
     * @param words in lower case
     * @param as listed: the first part of a constant's name ends in _
     */
    private record Retired(List<String> words, String as, String instead) {
        static Retired of(String as, String instead) {
            return new Retired(List.of(as.replace("_", "").split("[ -]")), as, instead);
        }

        /** Whether they begin with this word of a text; a single one may be in plural. */
        boolean isAt(int first, List<MatchResult> found, String text) {
            if (first + words.size() > found.size()) {
                return false;
            }
            MatchResult word = found.get(first);
            int end = word.end();
            if (as.endsWith("_")) {
                boolean isFirst = word.start() == 0 || text.charAt(word.start() - 1) != '_';
                return word.group().equals(words.get(0)) && text.startsWith("_", end) && isFirst;
            }
            for (int i = 1; i < words.size(); i++) {
                MatchResult next = found.get(first + i);
                String gap = text.substring(end, next.start());
                boolean isNear =
                        as.contains("-") ? gap.equals("-") : GAP.matcher(gap).matches();
                if (!isNear || !next.group().equalsIgnoreCase(words.get(i))) {
                    return false;
                }
                end = next.end();
            }
            return true;
        }
    }

    private static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(GLOSSARY))) {
                return at;
            }
        }
        throw new IllegalStateException("no repository above the working directory");
    }

    @Test
    void sourcesAndPagesUseNoRetiredWord() throws IOException {
        String glossary = glossary();
        List<Retired> retired = retired(glossary);
        List<String> found = new ArrayList<>();
        texts(".java", ".scala", ".md")
                .forEach((name, text) ->
                        found.addAll(find(retired, text.replace(glossary, glossary.replaceAll(".", "")), name)));
        assertThat(found).isEmpty();
    }

    @Test
    void commentsBeginWithTheirSubjectOrVerb() throws IOException {
        List<String> found = new ArrayList<>();
        texts(".java", ".scala")
                .forEach((name, text) -> headless(text).forEach(comment -> found.add(name + ": " + comment)));
        assertThat(found).isEmpty();
    }

    private static List<String> headless(String text) {
        return DOC_COMMENT
                .matcher(text)
                .results()
                .map(comment -> comment.group(1))
                .filter(comment -> HEADLESS.matcher(comment).matches())
                .toList();
    }

    @Test
    void cellsOfTablesAreShort() throws IOException {
        List<String> found = new ArrayList<>();
        texts(".md").forEach((name, text) -> {
            if (!name.equals(PAGE_OF_HELP)) {
                longCells(text).forEach(cell -> found.add(name + ": " + cell));
            }
        });
        assertThat(found).isEmpty();
    }

    private static List<String> longCells(String text) {
        return text.lines()
                .filter(line -> line.startsWith("|"))
                .flatMap(CELL_END::splitAsStream)
                .filter(cell -> cell.strip().split("\\s+").length > MAX_CELL_WORDS)
                .toList();
    }

    /** The texts of all files with one of these suffixes, by their paths, except this test, which has examples. */
    private static Map<String, String> texts(String... suffixes) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return SKIPPED_FOLDERS.contains(String.valueOf(folder.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = ROOT.relativize(file).toString();
                if (Arrays.stream(suffixes).anyMatch(name::endsWith) && !name.endsWith("WordsTest.java")) {
                    texts.put(name, Files.readString(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return texts;
    }

    private static String glossary() throws IOException {
        String text = Files.readString(ROOT.resolve(GLOSSARY));
        return text.substring(text.indexOf("\n## Words\n"), text.indexOf("\n## Commits\n"));
    }

    private static List<Retired> retired(String glossary) {
        List<Retired> all = new ArrayList<>();
        for (MatchResult row : TABLE_ROW.matcher(glossary).results().toList()) {
            CODE.matcher(row.group(2)).results().forEach(word -> all.add(Retired.of(word.group(1), row.group(1))));
        }
        assertThat(all).as("retired words in " + GLOSSARY).hasSizeGreaterThan(30);
        return all;
    }

    /** The places of retired words in a text, with what to write instead. */
    private static List<String> find(List<Retired> retired, String text, String file) {
        Map<String, List<Retired>> byFirstWord = retired.stream()
                .collect(Collectors.groupingBy(each -> each.words().get(0).toLowerCase(Locale.ROOT)));
        List<MatchResult> words = WORD.matcher(text).results().toList();
        List<String> found = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i).group().toLowerCase(Locale.ROOT);
            String singular = word.endsWith("s") ? word.substring(0, word.length() - 1) : word;
            List<Retired> candidates = new ArrayList<>(byFirstWord.getOrDefault(word, List.of()));
            if (!singular.equals(word)) {
                byFirstWord.getOrDefault(singular, List.of()).stream()
                        .filter(each -> each.words().size() == 1)
                        .forEach(candidates::add);
            }
            for (Retired each : candidates) {
                if (each.isAt(i, words, text)) {
                    long line = 1
                            + text.substring(0, words.get(i).start())
                                    .chars()
                                    .filter(c -> c == '\n')
                                    .count();
                    found.add(file + ":" + line + " has \"" + each.as() + "\": write " + each.instead());
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "under way | rows under way",
                "under way | 'Rows under\n     * way'",
                "under way | '\"rows under\"\n    + \" way\"'",
                "under way | int rowsUnderWay = 1;",
                "under way | underWay()",
                "under way | MAX_UNDER_WAY",
                "ceiling | no Ceilings here",
                "ceiling | liftCeilings()",
                "time-out | a time-out of 5 s",
                "MOST_ | MOST_ROWS",
            })
    void findsRetiredWordsInProseAndNames(String retired, String text) {
        assertThat(find(List.of(Retired.of(retired, "better")), "1\n" + text, "A.java"))
                .containsExactly("A.java:2 has \"" + retired + "\": write better");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "under way | asunder way",
                "under way | go under. Way out",
                "time-out | the time out of which",
                "time-out | timeOut()",
                "MOST_ | ALMOST_ALL",
                "MOST_ | most_rows",
            })
    void findsNothingElse(String retired, String text) {
        assertThat(find(List.of(Retired.of(retired, "better")), text, "A.java")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/** Of a token. */",
                "/** What a token is. */",
                "/**\n     * Those of all tokens.\n     */",
                "/** That of the JDK. */",
                "/** As shipped. */",
                "/** Without tokens. */",
            })
    void findsCommentsWithoutASubject(String text) {
        assertThat(headless(text)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/** As {@link #get}, for an int. */",
                "/** Whether there are tokens. */",
                "/** Office hours. */",
                "/** That token. */",
                "/* Of a token. */",
                "/** @param of the token */",
            })
    void findsNoOtherComment(String text) {
        assertThat(headless(text)).isEmpty();
    }

    @Test
    void findsLongCells() {
        String longest = "w ".repeat(MAX_CELL_WORDS).strip();
        assertThat(longCells("| " + longest + " | a |")).isEmpty();
        assertThat(longCells("| a | " + longest + " w |")).hasSize(1);
        assertThat(longCells(longest + " w")).isEmpty();
    }
}
