package io.overdrive.internal.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DidYouMeanTest {
    @ParameterizedTest
    @CsvSource({
        "flights, flights, 0",
        "flght, flights, 2", // two insertions
        "flightss, flights, 1",
        "fligths, flights, 1", // a swap is one mistake
        "flxghts, flights, 1",
        "ca, abc, 3", // a swap and an insertion inside it do not combine
        "'', abc, 3",
        "abc, '', 3"
    })
    void countsMistakes(String typed, String name, int mistakes) {
        assertThat(DidYouMean.distance(typed, name)).isEqualTo(mistakes);
    }

    @Test
    void suggestsOnlyTheClosestNamesInAlphabeticalOrder() {
        List<String> known = List.of("userd", "users", "user_names", "userb", "userc", "usera");
        assertThat(DidYouMean.closest("userx", known, 2)).containsExactly("usera", "userb", "userc");
        assertThat(DidYouMean.closest("userss", known, 2)).containsExactly("users");
        assertThat(DidYouMean.closest("orders", known, 2)).isEmpty();
        assertThat(DidYouMean.closest("users", List.of(), 2)).isEmpty();
    }

    @Test
    void ignoresLetterCaseAndKeepsThatOfTheName() {
        assertThat(DidYouMean.suggestion("FLIGTHS", List.of("Flights", "Planes")))
                .isEqualTo(": did you mean \"Flights\"?");
    }

    @Test
    void asksForOneOfSeveralNamesAndForNoneIfAllAreFar() {
        assertThat(DidYouMean.suggestion("ab", List.of("aa", "bb", "xyz")))
                .isEqualTo(": did you mean \"aa\" or \"bb\"?");
        assertThat(DidYouMean.suggestion("ab", List.of("xyz"))).isEmpty();
        assertThat(DidYouMean.question("spark.overdrive.", List.of("host")))
                .isEqualTo(": did you mean \"spark.overdrive.host\"?");
    }
}
