package io.overdrive.internal.wire;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.ConnectOptions;
import org.junit.jupiter.api.Test;

class WireTest {
    @Test
    void saysThatTheNameOfAHostIsUnknown() {
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint("no.such.host.invalid:9042")
                .build();
        assertThatThrownBy(() -> Wire.connect(options).close())
                .hasMessage("cannot connect to no.such.host.invalid:9042: the host name is unknown"
                        + " (check its spelling, and the name service of this machine)");
    }
}
