package io.overdrive.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;
import io.overdrive.ConnectOptions;
import java.util.List;
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

    private static int streamIdOf(int streamId, int errorCode, String message) {
        Frame frame = Frame.forResponse(
                ProtocolConstants.Version.V5,
                streamId,
                /* tracingId */ null,
                Frame.NO_PAYLOAD,
                /* warnings */ List.of(),
                new Error(errorCode, message));
        return Wire.withoutMistakenId(frame).streamId;
    }

    @Test
    void takesTheStreamIdFromARefusalThatMayBelongToAnotherRequest() {
        String late = "Query timed out before it could start";
        assertThat(streamIdOf(0, ErrorCode.OVERLOADED, late)).isNegative();
        assertThat(streamIdOf(1, ErrorCode.OVERLOADED, late)).isOne();
        assertThat(streamIdOf(0, ErrorCode.OVERLOADED, "Too many in flight hints: 129"))
                .isZero();
        assertThat(streamIdOf(0, ErrorCode.SERVER_ERROR, late)).isZero();
    }
}
