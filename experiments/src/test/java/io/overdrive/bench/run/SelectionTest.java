package io.overdrive.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.bench.Arm;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SelectionTest {
    private static final List<Arm> ARMS = Arm.grid(
            Map.entry("order", List.of("in order", "shuffled")), Map.entry("in flight", List.of("1", "16", "1,000")));

    private static List<String> selected(String... texts) {
        return Selection.parse(List.of(texts)).of(ARMS).stream()
                .map(Arm::toString)
                .toList();
    }

    @Test
    void selectsArmsByTheLevelsOfTheirFactors() {
        assertThat(Selection.ALL.of(ARMS)).isEqualTo(ARMS);
        assertThat(selected("order=shuffled", "in flight=16", "in flight = 1,000"))
                .containsExactly("shuffled, 16", "shuffled, 1,000");
        assertThat(selected("in flight=1")).containsExactly("in order, 1", "shuffled, 1");
    }

    @Test
    void namesWhatThereIs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> selected("shuffled"))
                .withMessage("--only is 'shuffled', must be FACTOR=LEVEL, such as 'writer=linger 5 ms'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> selected("speed=fast"))
                .withMessage("--only names the factor 'speed'; the experiment has 'order', 'in flight'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> selected("order=sorted"))
                .withMessage("--only names the level 'sorted' of the factor 'order'; the experiment has 'in order',"
                        + " 'shuffled'");
    }

    @Test
    void doesNotSelectNothing() {
        List<Arm> some = List.of(new Arm(Map.of("a", "1", "b", "1")), new Arm(Map.of("a", "2", "b", "2")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Selection.parse(List.of("a=1", "b=2")).of(some))
                .withMessage("--only selects no variant: no variant has all these levels");
    }
}
