package io.overdrive.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;
import io.overdrive.ConnectOptions;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
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
        return RawContext.withoutMistakenId(frame).streamId;
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

    /** It is about any of the requests in flight. */
    @Test
    void takesTheStreamIdFromTheMessageThatBytesWereChangedOnTheWay() {
        String damaged =
                "/10.0.0.2:41234->/10.0.0.1:9042 invalid, unrecoverable CRC mismatch detected in frame body. Read 1,"
                        + " Computed 2";
        assertThat(streamIdOf(0, ErrorCode.PROTOCOL_ERROR, damaged)).isNegative();
        assertThat(streamIdOf(1, ErrorCode.PROTOCOL_ERROR, damaged)).isOne();
        assertThat(streamIdOf(0, ErrorCode.PROTOCOL_ERROR, "Invalid value for the paging state"))
                .isZero();
    }

    /** The JDK reports them with the problem in the innermost exception. */
    @Test
    void saysWhatIsWrongWithACertificate() {
        assertThat(advice(new CertificateExpiredException("NotAfter: Sun Jan 11 00:00:01 UTC 2026")))
                .isEqualTo("the node's certificate has expired, or the clock of this machine is wrong");
        assertThat(advice(new CertificateNotYetValidException("NotBefore: Sun Jan 11 00:00:01 UTC 2026")))
                .isEqualTo("the node's certificate is not valid yet, or the clock of this machine is wrong");
        assertThat(advice(new CertificateException(
                        "Extended key usage does not permit use for TLS server authentication")))
                .isEqualTo("the node's certificate is for clients only: it needs one for servers");
        assertThat(advice(new SSLHandshakeException("Received fatal alert: certificate_expired")))
                .isEqualTo("for the node, the certificate of the client has expired");
    }

    private static String advice(Exception reason) {
        return SessionSetup.tlsAdvice(new SSLHandshakeException("handshake failed").initCause(reason));
    }
}
