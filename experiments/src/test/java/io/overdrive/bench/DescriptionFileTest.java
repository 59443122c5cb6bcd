package io.overdrive.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DescriptionFileTest {
    private static final String TEXT =
            """
            ---
            name: few-rows
            title: Few rows
            question: How fast
              are few rows?
            claim: "Fast": 3 rows
            source: a talk: 2016
            ---

            * One
              run.
            * No --- network.
            """;

    @Test
    void readsFrontMatterAndCaveats() {
        assertThat(DescriptionFile.parse("FewRows.md", TEXT))
                .isEqualTo(new Description(
                        "few-rows",
                        "Few rows",
                        "How fast are few rows?",
                        "\"Fast\": 3 rows",
                        "a talk: 2016",
                        List.of("One run.", "No --- network.")));
    }

    @Test
    void readsTheVersionAndThePublishedFigures() {
        Description description = DescriptionFile.parse(
                "FewRows.md",
                TEXT.replace("title:", "version: 3\ntitle:")
                        + """

                        | Check | Published | Unit | Condition | Place | Figure | Levels |
                        |---|---|---|---|---|---|---|
                        | faster | 130 to 170 | times | few to many | slide 3 | | |
                        | faster | 28000 | rows/s | few | slide 3 | ROWS_PER_SECOND | rows=few; by=key, in turns |
                        """);
        assertThat(description.version()).isEqualTo(3);
        assertThat(description.caveats()).hasSize(2);
        assertThat(description.published())
                .containsExactly(
                        new Published("faster", 130, 170, "times", "few to many", "slide 3", null, Map.of()),
                        new Published(
                                "faster",
                                28_000,
                                28_000,
                                "rows/s",
                                "few",
                                "slide 3",
                                Figure.ROWS_PER_SECOND,
                                Map.of("rows", "few", "by", "key, in turns")))
                .extracting(Published::toString)
                .containsExactly("130 to 170 times", "28,000 rows/s");
    }

    @Test
    void namesARowOfPublishedFiguresThatLacksCells() {
        assertThatThrownBy(
                        () -> DescriptionFile.parse(
                                "FewRows.md",
                                TEXT
                                        + "\n| Check | Published | Unit | Condition | Place | Figure | Levels |\n|---|\n| faster | 3 |\n"))
                .hasMessageStartingWith("FewRows.md: \"| faster | 3 |\" does not have the cells [Check, Published");
    }

    @Test
    void readsLinesThatEndAsOnWindows() {
        assertThat(DescriptionFile.parse("FewRows.md", TEXT.replace("\n", "\r\n")))
                .isEqualTo(DescriptionFile.parse("FewRows.md", TEXT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name: few-rows | # few rows | \"# few rows\" is not a field such as \"title: Long runs\", or repeats one",
                "title: Few rows | name: rows | \"name: rows\" is not a field such as",
                "title: Few rows | author: me | has no field \"title\"",
                "title: Few rows | title: Few rows\nauthor: me | has unknown fields: [author]",
                "* One | One | \"One run.\" does not begin with \"* \"",
                "---\nname | name | does not begin with front matter between two lines ---",
            })
    void namesTheErrorInAFile(String fromToMessage) {
        String[] parts = fromToMessage.split(" \\| ");
        assertThatThrownBy(() -> DescriptionFile.parse("FewRows.md", TEXT.replace(parts[0], parts[1])))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("FewRows.md")
                .hasMessageContaining(parts[2]);
    }

    @Test
    void namesTheFileThatIsMissing() {
        assertThatThrownBy(() -> DescriptionFile.beside(DescriptionFileTest.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("DescriptionFileTest.md is missing next to io.overdrive.bench.DescriptionFileTest");
    }
}
