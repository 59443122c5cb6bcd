package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypeTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "int",
                "text",
                "duration",
                "list<int>",
                "frozen<set<text>>",
                "map<text, frozen<list<bigint>>>",
                "frozen<tuple<int, text, uuid>>",
                "vector<float, 3>"
            })
    void readsATypeAsItIsWritten(String type) {
        assertThat(TypeText.parse("c", type).asCql(/* includeFrozen */ true, /* pretty */ true))
                .isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"VARCHAR", " text ", "Text STATIC"})
    void readsOtherSpellings(String type) {
        assertThat(TypeText.parse("c", type).asCql(false, false)).isEqualTo("text");
    }

    @ParameterizedTest
    @ValueSource(strings = {"my_type", "frozen<my_type>", "list<", "map<int>", "counter", "vector<float, x>", ""})
    void refusesTypesThatOnlyAClusterKnows(String type) {
        assertThatThrownBy(() -> TypeText.parse("c", type))
                .hasMessageContaining("column \"c\": " + type + " is not a type that is known without a cluster");
    }
}
