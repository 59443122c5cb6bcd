package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NullWordsTest {
    private static final boolean BARE = false;
    private static final boolean QUOTED = true;

    private static boolean isNull(NullWords words, String field, boolean quoted) {
        char[] chars = ("xx" + field + "yy").toCharArray();
        return words.matches(chars, 2, 2 + field.length(), quoted);
    }

    @Test
    void anEmptyFieldIsNeverAValueUnlessItIsQuotedText() {
        assertThat(isNull(NullWords.forText(List.of()), "", BARE)).isTrue();
        assertThat(isNull(NullWords.forText(List.of()), "", QUOTED)).isFalse();
        assertThat(isNull(NullWords.forOthers(List.of()), "", BARE)).isTrue();
        assertThat(isNull(NullWords.forOthers(List.of()), "", QUOTED)).isTrue();
    }

    @Test
    void anEmptyFieldIsTextWhereTextMayBeEmpty() {
        NullWords words = NullWords.forTextThatMayBeEmpty(List.of("-"));
        assertThat(isNull(words, "", BARE)).isFalse();
        assertThat(isNull(words, "", QUOTED)).isFalse();
        assertThat(isNull(words, "-", BARE)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NA", "N/A", "NULL", "null", "\\N"})
    void theUsualWordsMeanMissingInColumnsThatAreNotText(String word) {
        assertThat(isNull(NullWords.forOthers(List.of()), word, BARE)).isTrue();
        assertThat(isNull(NullWords.forOthers(List.of()), word, QUOTED)).isTrue();
        assertThat(isNull(NullWords.forText(List.of()), word, BARE)).isFalse();
    }

    @Test
    void givenWordsMeanMissingTextIfNotQuoted() {
        NullWords words = NullWords.forText(List.of("NA", "-"));
        assertThat(isNull(words, "NA", BARE)).isTrue();
        assertThat(isNull(words, "-", BARE)).isTrue();
        assertThat(isNull(words, "NA", QUOTED)).isFalse();
        assertThat(isNull(words, "N", BARE)).isFalse();
        assertThat(isNull(words, "NAN", BARE)).isFalse();
        assertThat(isNull(words, "na", BARE)).isFalse();
    }

    @Test
    void givenWordsAreAddedToTheUsualOnes() {
        NullWords words = NullWords.forOthers(List.of("?"));
        assertThat(isNull(words, "?", BARE)).isTrue();
        assertThat(isNull(words, "NULL", BARE)).isTrue();
        assertThat(isNull(words, "0", BARE)).isFalse();
    }
}
