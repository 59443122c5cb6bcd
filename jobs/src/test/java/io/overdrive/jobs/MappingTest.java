package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MappingTest {
    private static final List<String> COLUMNS = List.of("id", "name", "Age", "select", "say \"hi\"", "a,b");

    static FieldNames line(String file, List<String> names) {
        return new FieldNames(file, names, /* areLine */ true);
    }

    /** The columns that each field goes to. */
    private static List<List<String>> resolve(String mapping, String... fields) {
        return resolve(Mapping.parse(mapping), /* allowExtra */ false, fields);
    }

    private static List<List<String>> resolve(Mapping mapping, boolean allowExtra, String... fields) {
        return mapping.resolve(line("x.csv", List.of(fields)), COLUMNS, allowExtra).stream()
                .map(targets -> targets.stream().map(Target::column).toList())
                .toList();
    }

    @Test
    void byNameAFieldGoesToTheColumnOfTheSameName() {
        assertThat(resolve("* = *", "name", "id", "Age", "select", "say \"hi\"", "a,b"))
                .containsExactly(
                        List.of("name"),
                        List.of("id"),
                        List.of("Age"),
                        List.of("select"),
                        List.of("say \"hi\""),
                        List.of("a,b"));
    }

    @Test
    void byNameCapitalsAndBlanksOfAFieldDoNotMatterToAColumnInLowerCase() {
        assertThat(resolve("* = *", "ID", " Name ", "SELECT"))
                .containsExactly(List.of("id"), List.of("name"), List.of("select"));
    }

    @Test
    void aColumnWithCapitalsIsFoundOnlyByItsExactName() {
        assertThatThrownBy(() -> resolve("* = *", "age"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("x.csv: field \"age\" has no column of its name");
        assertThat(resolve("age = \"Age\"", "age")).containsExactly(List.of("Age"));
        assertThatThrownBy(() -> resolve("age = Age", "age"))
                .hasMessage("mapping \"age = Age\": there is no column \"age\"; the columns are id, name, Age, select,"
                        + " say \"hi\", a,b");
    }

    @Test
    void aColumnInQuotesMayHaveParentheses() {
        Mapping mapping = Mapping.parse("x = \"speed (km/h)\"");
        assertThat(mapping.resolve(line("x.csv", List.of("x")), List.of("speed (km/h)"), /* allowExtra */ false))
                .containsExactly(List.of(Target.column("speed (km/h)")));
    }

    @Test
    void namesInQuotesHoldAnything() {
        assertThat(resolve("\"x, = y\" = \"say \"\"hi\"\"\", \"it's\" = \"a,b\"", "x, = y", "it's"))
                .containsExactly(List.of("say \"hi\""), List.of("a,b"));
    }

    @Test
    void aQuotedFieldMatchesExactlyAndAPlainOneInAnyCase() {
        assertThat(resolve("user = id", "USER")).containsExactly(List.of("id"));
        assertThat(resolve("user = id", " User ")).containsExactly(List.of("id"));
        assertThatThrownBy(() -> resolve("\"user\" = id", "USER"))
                .hasMessage("x.csv: there is no field \"user\", which the mapping names; the fields are USER");
    }

    @Test
    void anExactNameWinsOverAnotherCase() {
        assertThat(resolve("user = id, USER = name", "USER", "user")).containsExactly(List.of("name"), List.of("id"));
    }

    @Test
    void aNameThatFitsTwoFieldsButForCaseIsRefused() {
        assertThatThrownBy(() -> resolve("code = id, * = *", "Code", "CODE"))
                .hasMessage("x.csv: field \"code\" may be \"Code\" or \"CODE\"; write the one that is meant"
                        + " in double quotes");
        assertThat(resolve("\"CODE\" = id", "Code", "CODE")).containsExactly(List.of(), List.of("id"));
    }

    @Test
    void numbersCountFieldsFromZero() {
        assertThat(resolve("1 = id, 0 = name", "a", "b")).containsExactly(List.of("name"), List.of("id"));
        assertThatThrownBy(() -> resolve("2 = id", "a", "b"))
                .hasMessage("x.csv: there is no field \"2\", which the mapping names; the fields are a, b");
        assertThatThrownBy(() -> resolve("99999999999999 = id", "a"))
                .hasMessageContaining("there is no field \"99999999999999\"");
    }

    @Test
    void aFieldNamedLikeANumberWinsOverTheNumber() {
        assertThat(resolve("1 = id", "1", "x")).containsExactly(List.of("id"), List.of());
        assertThatThrownBy(() -> resolve("\"1\" = id", "a", "b")).hasMessageContaining("there is no field \"1\"");
    }

    @Test
    void withoutAStarOtherFieldsAreLeftOut() {
        assertThat(resolve("a = id", "a", "name", "unheard")).containsExactly(List.of("id"), List.of(), List.of());
    }

    @Test
    void withAStarOtherFieldsGoByName() {
        assertThat(resolve("a = id, * = *", "a", "name")).containsExactly(List.of("id"), List.of("name"));
    }

    @Test
    void aColumnThatAnEntryFillsIsNotFilledByName() {
        assertThat(resolve("a = id, 'x' = name, * = *", "a", "id", "name"))
                .containsExactly(List.of("id"), List.of(), List.of());
    }

    @Test
    void aFieldMayGoToSeveralColumns() {
        assertThat(resolve("a = id, a = name", "a")).containsExactly(List.of("id", "name"));
    }

    @Test
    void twoFieldsCannotFillOneColumn() {
        assertThatThrownBy(() -> resolve("* = *", "id", "name", "ID"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("x.csv: fields \"id\" and \"ID\" both go to column \"id\"; leave one of them out, or map"
                        + " it elsewhere, with mapping");
        assertThatThrownBy(() -> resolve("* = *", "id", "name", "name"))
                .hasMessage(
                        "x.csv: fields \"name\" and \"name\" both go to column \"name\"; leave one of them out, or map"
                                + " it elsewhere, with mapping; the second one by its number: \"2 = NAME, * = *\"");
        assertThat(resolve("2 = \"Age\", * = *", "id", "name", "name"))
                .containsExactly(List.of("id"), List.of("name"), List.of("Age"));
        assertThatThrownBy(() -> resolve("a = id, b = id", "a", "b"))
                .hasMessageContaining("fields \"a\" and \"b\" both go to column \"id\"");
        assertThatThrownBy(() -> resolve("a = ttl(), b = ttl()", "a", "b"))
                .hasMessageContaining("fields \"a\" and \"b\" both go to ttl()");
    }

    @Test
    void aTargetOfAConstantGetsNothingElse() {
        assertThatThrownBy(() -> Mapping.parse("'1' = id, a = id"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mapping \"'1' = id, a = id\": a constant and field \"a\" both go to id; leave one of them"
                        + " out");
        assertThatThrownBy(() -> Mapping.parse("0 = writetime(), '1' = timestamp()"))
                .hasMessageContaining("a constant and field \"0\" both go to writetime(); leave");
        assertThatThrownBy(() -> Mapping.parse("'1' = \"Age\", '1' = id, '2' = \"Age\""))
                .hasMessageEndingWith(
                        ": \"'2' = \"Age\"\": another constant goes to \"Age\", too; leave one of them out");
    }

    @Test
    void aColumnMayBeNamedLikeASpecialTarget() {
        List<String> columns = List.of("id", "ttl()");
        assertThat(Mapping.parse("a = ttl(), * = *").resolve("ttl()", columns)).containsExactly(Target.column("ttl()"));
    }

    @Test
    void exclusionsAreLeftOutOfTheStar() {
        assertThat(resolve("* = -note", "id", "Note")).containsExactly(List.of("id"), List.of());
        assertThat(resolve("* = [-note, -\"Second, Note\"]", "id", "note", "Second, Note"))
                .containsExactly(List.of("id"), List.of(), List.of());
        assertThat(resolve("* = *, * = -name", "id", "name")).containsExactly(List.of("id"), List.of());
        assertThat(resolve("* = -\"\"", "", "id")).containsExactly(List.of(), List.of("id"));
    }

    @Test
    void aFieldWithoutColumnIsAnErrorThatNamesTheWaysOut() {
        assertThatThrownBy(() -> resolve("* = *", "id", "Row Id"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("x.csv: field \"Row Id\" has no column of its name; map it with mapping, leave it out with"
                        + " mapping '* = -\"Row Id\"', or leave out all such fields with allowExtraFields; the"
                        + " columns are id, name, Age, select, say \"hi\", a,b");
        assertThatThrownBy(() -> resolve("* = *", "id", "note")).hasMessageContaining("mapping '* = -note'");
        assertThatThrownBy(() -> resolve("* = *", "", "id")).hasMessageContaining("mapping '* = -\"\"'");
        assertThat(resolve(Mapping.BY_NAME, /* allowExtra */ true, "id", "note"))
                .containsExactly(List.of("id"), List.of());
    }

    @Test
    void theWayOutInTheErrorWorks() {
        assertThat(resolve("* = -\"Row Id\"", "id", "Row Id")).containsExactly(List.of("id"), List.of());
    }

    @Test
    void constantsAreInSingleQuotes() {
        Mapping mapping = Mapping.parse("'it''s, = ok' = name, '' = \"Age\", '60' = ttl(), '7' = WRITETIME()");
        assertThat(mapping.constants())
                .isEqualTo(Map.of(
                        Target.column("name"),
                        "it's, = ok",
                        Target.column("Age"),
                        "",
                        new Target("ttl()", Special.TTL),
                        "60",
                        new Target("writetime()", Special.WRITETIME),
                        "7"));
        assertThat(mapping.usesTtl()).isTrue();
        assertThat(mapping.usesWritetime()).isTrue();
        assertThat(Mapping.BY_NAME.usesTtl()).isFalse();
        assertThat(Mapping.BY_NAME.usesWritetime()).isFalse();
    }

    @Test
    void timeToLiveAndWriteTimeComeFromFields() {
        List<List<Target>> targets = Mapping.parse("a = ttl(), b = writetime(), c = id")
                .resolve(line("x.csv", List.of("a", "b", "c")), COLUMNS, false);
        assertThat(targets)
                .containsExactly(
                        List.of(new Target("ttl()", Special.TTL)),
                        List.of(new Target("writetime()", Special.WRITETIME)),
                        List.of(Target.column("id")));
    }

    @Test
    void membersOfJsonAreResolvedSeparately() {
        Mapping mapping = Mapping.parse("User = id, \"X\" = name, * = *, * = -note");
        assertThat(mapping.resolve("user", COLUMNS)).containsExactly(Target.column("id"));
        assertThat(mapping.resolve("X", COLUMNS)).containsExactly(Target.column("name"));
        assertThat(mapping.resolve("x", COLUMNS)).as("unknown").isNull();
        assertThat(mapping.resolve("Age", COLUMNS)).containsExactly(Target.column("Age"));
        assertThat(mapping.resolve("id", COLUMNS)).as("filled by an entry").isEmpty();
        assertThat(mapping.resolve("note", COLUMNS)).as("left out").isEmpty();
        assertThat(Mapping.parse("user = id").resolve("name", COLUMNS))
                .as("without a star")
                .isEmpty();
    }

    @Test
    void jsonMayFillAllColumnsThatAreNotLeftOut() {
        List<Target> targets = new ArrayList<>();
        Mapping.parse("user = id, 'c' = name, * = [-\"Age\", -select]").targets(COLUMNS, targets);
        assertThat(targets).containsExactly(Target.column("id"), Target.column("say \"hi\""), Target.column("a,b"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a | a | expected field = column",
                "a = b = c | a = b = c | expected field = column",
                "a = id, b = | b = | expected field = column",
                "= id | = id | expected field = column",
                "a = id,, b = c | `` | expected field = column",
                "'x = id | 'x = id | expected field = column",
                "'x'y = id | 'x'y = id | the constant has no closing quote",
                "* = id | * = id | expected *, -name or [-a, -b] after * =",
                "* = - | * = - | expected *, -name or [-a, -b] after * =",
                "* = [a] | * = [a] | expected *, -name or [-a, -b] after * =",
                "a = * | a = * | expected a column, ttl() or writetime()",
                "a = -b | a = -b | expected a column, ttl() or writetime()",
                "b = id, a = now() | a = now() | expected a column, ttl() or writetime()",
            })
    void errorsNameTheEntryAtFault(String text, String entry, String reason) {
        assertThatThrownBy(() -> Mapping.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mapping \"" + text + "\": \"" + entry + "\": " + reason);
    }

    @Test
    void isPrintedAsGiven() {
        assertThat(Mapping.parse("a=b , * = *")).hasToString("a=b , * = *");
    }

    @Test
    void numbersAloneNameTheFieldsOfAFileWithoutHeader() {
        assertThat(Mapping.parse("2 = id, 0 = name, 'x' = \"Age\"").numberedFields())
                .containsExactly("0", "1", "2");
        assertThat(Mapping.parse("2 = id, user = name").numberedFields()).isEmpty();
        assertThat(Mapping.parse("2 = id, * = *").numberedFields()).isEmpty();
        assertThat(Mapping.parse("'x' = id").numberedFields()).isEmpty();
    }

    @Test
    void fieldsWithoutANameGoToColumnsOfTheirNumber() {
        List<String> columns = List.of("id", "column_1", "column_3");
        assertThat(Mapping.BY_NAME.resolve(line("x.csv", List.of("", "id", " ")), columns, false))
                .containsExactly(
                        List.of(Target.column("column_1")),
                        List.of(Target.column("id")),
                        List.of(Target.column("column_3")));
        assertThat(resolve("column_1 = name, * = *", "", "id")).containsExactly(List.of("name"), List.of("id"));
        assertThat(Mapping.named(List.of("", "column_1", "a"))).containsExactly("column_1_", "column_1", "a");
        assertThatThrownBy(() -> resolve("* = *", "id", ""))
                .hasMessageStartingWith(
                        "x.csv: field 2 has no name, and there is no column \"column_2\" for it; map it with"
                                + " mapping, leave it out with mapping '* = -\"\"', or");
    }

    @Test
    void aHeaderThatIsNotSplitNamesTheLikelyDelimiter() {
        assertThatThrownBy(() -> resolve("* = *", "id;name"))
                .hasMessage("x.csv: the header is a single field, \"id;name\"; if its fields are separated by ';', give"
                        + " delimiter ';'");
        assertThatThrownBy(() -> resolve("* = *", "id\tname")).hasMessageEndingWith("give delimiter '\\t'");
        assertThatThrownBy(() -> resolve("id = id", "id|name")).hasMessageEndingWith("give delimiter '|'");
        assertThatThrownBy(() -> resolve("* = *", "sep=;")).hasMessageEndingWith("give delimiter ';' skipLines 1");
        assertThatThrownBy(() -> resolve("* = *", "id;name", "x")).hasMessageContaining("has no column of its name");
    }

    @Test
    void aHeaderThatIsDataNamesTheOptionForNoHeader() {
        assertThatThrownBy(() -> resolve("* = *", "1", "Ann"))
                .hasMessageContaining("if the first line is not a header, give header(false) and the fields' names with"
                        + " fieldNames; the columns are");
        assertThatThrownBy(() -> resolve("* = *", "id", "Ann")).message().doesNotContain("header(false)");
    }

    @Test
    void namesThatAreNoLineAreTakenForNames() {
        for (String name : List.of("id;name", "Ann")) {
            FieldNames columns = new FieldNames("rows", List.of(name), /* areLine */ false);
            assertThatThrownBy(() -> Mapping.BY_NAME.resolve(columns, COLUMNS, /* allowExtra */ false))
                    .hasMessageStartingWith("rows: field \"" + name + "\" has no column of its name; map it with ")
                    .message()
                    .doesNotContain("header");
        }
    }

    @Test
    void markersOfAStatementAreCalledThat() {
        assertThatThrownBy(() -> Mapping.BY_NAME
                        .toMarkers()
                        .resolve(line("x.csv", List.of("id", "a")), List.of("id", "nope"), false))
                .hasMessageStartingWith("x.csv: field \"a\" has no marker of its name; ")
                .hasMessageEndingWith("; the markers are id, nope");
    }

    private static List<List<Target>> timed(String mapping, List<String> columns, String... fields) {
        return Mapping.parse(mapping)
                .withTimes()
                .resolve(line("x.csv", List.of(fields)), columns, /* allowExtra */ false);
    }

    @Test
    void fieldsWithTimesGoWhereTheFieldGoesThatTheyBelongTo() {
        assertThat(timed(
                        "town = name, * = *",
                        COLUMNS,
                        "id",
                        "town",
                        "writetime(town)",
                        " Expires(town)",
                        "writetime()"))
                .containsExactly(
                        List.of(Target.column("id")),
                        List.of(Target.column("name")),
                        List.of(new Target("name", Special.CELL_WRITETIME)),
                        List.of(new Target("name", Special.CELL_EXPIRY)),
                        List.of(new Target("", Special.CELL_WRITETIME)));
        assertThat(timed("* = -name", COLUMNS, "id", "name", "writetime(name)"))
                .containsExactly(List.of(Target.column("id")), List.of(), List.of());
        Mapping json = Mapping.parse("town = name, * = *").withTimes();
        assertThat(json.resolve("writetime(town)", COLUMNS))
                .containsExactly(new Target("name", Special.CELL_WRITETIME));
        assertThat(json.resolve("expires()", COLUMNS)).containsExactly(new Target("", Special.CELL_EXPIRY));
        assertThat(json.resolve("expires(nothing)", COLUMNS)).isNull();
    }

    @Test
    void timesFollowTheirFieldsAlsoIfEachFieldIsNamed() {
        assertThat(timed(
                        "id = id, town = name",
                        COLUMNS,
                        "id",
                        "town",
                        "writetime(town)",
                        "expires(town)",
                        "age",
                        "writetime(age)",
                        "writetime(x)",
                        "writetime()"))
                .containsExactly(
                        List.of(Target.column("id")),
                        List.of(Target.column("name")),
                        List.of(new Target("name", Special.CELL_WRITETIME)),
                        List.of(new Target("name", Special.CELL_EXPIRY)),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(new Target("", Special.CELL_WRITETIME)));
        Mapping json = Mapping.parse("id = id, town = name").withTimes();
        assertThat(json.resolve("writetime(town)", COLUMNS))
                .containsExactly(new Target("name", Special.CELL_WRITETIME));
        assertThat(json.resolve("expires()", COLUMNS)).containsExactly(new Target("", Special.CELL_EXPIRY));
        assertThat(json.resolve("writetime(age)", COLUMNS)).isEmpty();
        assertThat(json.resolve("name", COLUMNS)).isEmpty();
    }

    @Test
    void aColumnMayHaveTheNameOfTimes() {
        List<String> columns = List.of("a", "writetime(a)");
        assertThat(timed("* = *", columns, "a", "writetime(a)", "writetime(writetime(a))"))
                .containsExactly(
                        List.of(Target.column("a")),
                        List.of(Target.column("writetime(a)")),
                        List.of(new Target("writetime(a)", Special.CELL_WRITETIME)));
        assertThat(timed("* = *", columns, "a", "writetime(a)"))
                .containsExactly(List.of(Target.column("a")), List.of(new Target("a", Special.CELL_WRITETIME)));
        String renamed = "other = \"writetime(a)\", * = *";
        assertThat(timed(renamed, columns, "a", "writetime(a)", "other", "writetime(other)"))
                .containsExactly(
                        List.of(Target.column("a")),
                        List.of(new Target("a", Special.CELL_WRITETIME)),
                        List.of(Target.column("writetime(a)")),
                        List.of(new Target("writetime(a)", Special.CELL_WRITETIME)));
        assertThat(Mapping.parse(renamed).withTimes().resolve("writetime(a)", columns))
                .containsExactly(new Target("a", Special.CELL_WRITETIME));
    }

    @Test
    void timesOfAFieldThatDoesNotExistAreRefused() {
        assertThatThrownBy(() -> timed("* = *", COLUMNS, "id", "writetime(nothing)"))
                .hasMessageContaining(
                        "x.csv: field \"writetime(nothing)\" has the times of field \"nothing\", which does not exist");
        assertThatThrownBy(() -> timed("* = *", COLUMNS, "name", "writetime(name)", "writetime(name)"))
                .hasMessageContaining("both go to writetime(name)");
        assertThatThrownBy(() -> resolve("* = *", "name", "writetime(name)"))
                .hasMessageContaining("if it has write times or expiries, keep them with keepTimes");
    }

    @Test
    void fieldsWithTimesAreNoColumnsOfANewTable() {
        Mapping mapping = Mapping.parse("* = *").withTimes();
        assertThat(mapping.resolveNew(line("x.csv", List.of("Id", "writetime(Id)")), Set.of()))
                .containsExactly(List.of(Target.column("id")), List.of(new Target("id", Special.CELL_WRITETIME)));
        assertThat(mapping.resolveNew("expires(Id)", Set.of())).containsExactly(new Target("id", Special.CELL_EXPIRY));
    }
}
