package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndedNodeTest {
    @Test
    void isNotWhyAFileIsMissing() {
        List<Kind> mayCome = Arrays.stream(Kind.values())
                .filter(kind -> EndedNode.mayBeWhy(new OverdriveException(kind, "failed")))
                .toList();
        assertThat(mayCome).containsExactly(Kind.CONNECT, Kind.SCHEMA, Kind.WRITE, Kind.READ);
        assertThat(EndedNode.mayBeWhy(null))
                .as("only the summary says what failed")
                .isTrue();
    }
}
