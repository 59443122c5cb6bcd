package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CqlProbeTest {
    /** Opcode and body of each request. */
    private final List<String> requests = new ArrayList<>();

    @Test
    void logsInIfNoPasswordIsRequired() throws Exception {
        assertThat(ask(0x06, 0x02)).isEqualTo(CqlProbe.Answer.LOGIN);
        assertThat(requests).containsExactly("5 ", "1 \0\1\0\13CQL_VERSION\0\0053.0.0");
    }

    @Test
    void logsInWithTheFirstPassword() throws Exception {
        assertThat(ask(0x06, 0x03, 0x10)).isEqualTo(CqlProbe.Answer.LOGIN);
        assertThat(requests.get(2)).isEqualTo("15 \0\0\0\24\0cassandra\0cassandra");
    }

    @Test
    void distinguishesARefusedLoginFromSilence() throws Exception {
        assertThat(ask(0x06, 0x03, 0x00)).isEqualTo(CqlProbe.Answer.NO_LOGIN);
        assertThat(ask()).isEqualTo(CqlProbe.Answer.NONE);
    }

    /** Asks a server that gives these opcodes as answers and then hangs up. */
    private CqlProbe.Answer ask(int... opcodes) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> serve(server, opcodes));
            thread.start();
            CqlProbe.Answer answer = CqlProbe.ask((InetSocketAddress) server.getLocalSocketAddress());
            thread.join();
            return answer;
        }
    }

    private void serve(ServerSocket server, int[] opcodes) {
        try (Socket socket = server.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            for (int opcode : opcodes) {
                in.skipNBytes(4);
                int request = in.readUnsignedByte();
                byte[] body = in.readNBytes(in.readInt());
                requests.add(request + " " + new String(body, StandardCharsets.ISO_8859_1));
                out.write(new byte[] {(byte) 0x84, 0, 0, 0, (byte) opcode, 0, 0, 0, 3, 1, 2, 3});
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
