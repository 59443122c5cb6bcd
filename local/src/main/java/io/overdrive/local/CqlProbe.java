package io.overdrive.local;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Asks a node whether it serves CQL, with a minimum of the native protocol: one connection, one envelope at a time. Thread-safe: no state.
 *
 * <p>Envelope, version 4: version 1 byte, flags 1, stream 2, opcode 1, body length 4, body.
 */
final class CqlProbe {
    private static final int CONNECT_MILLIS = 1000;
    private static final int READ_MILLIS = 5000;

    private static final int VERSION = 0x04;
    private static final int STARTUP = 0x01;
    private static final int READY = 0x02;
    private static final int AUTHENTICATE = 0x03;
    private static final int OPTIONS = 0x05;
    private static final int SUPPORTED = 0x06;
    private static final int AUTH_RESPONSE = 0x0F;
    private static final int AUTH_SUCCESS = 0x10;

    /** The state of a node, as a connection sees it. */
    enum Answer {
        NONE,
        /** Requests are answered, but the login of the user {@code cassandra} with its initial password fails. */
        NO_LOGIN,
        /** Clients can connect; if logins are required, {@code cassandra} has been created. */
        LOGIN
    }

    private CqlProbe() {}

    static Answer ask(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS);
            socket.setSoTimeout(READ_MILLIS);
            if (call(socket, OPTIONS, new byte[0]) != SUPPORTED) {
                return Answer.NONE;
            }
            int answer = call(socket, STARTUP, startupBody());
            if (answer == AUTHENTICATE) {
                answer = call(socket, AUTH_RESPONSE, passwordBody());
            }
            return answer == READY || answer == AUTH_SUCCESS ? Answer.LOGIN : Answer.NO_LOGIN;
        } catch (IOException e) {
            return Answer.NONE; // not yet, or no longer
        }
    }

    /** Whether the port is open: all that can be seen of a node that requires TLS. It opens the port when it is ready. */
    static boolean listens(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends a request and returns the opcode of its answer. */
    private static int call(Socket socket, int opcode, byte[] body) throws IOException {
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        out.writeByte(VERSION);
        out.writeByte(0);
        out.writeShort(0);
        out.writeByte(opcode);
        out.writeInt(body.length);
        out.write(body);
        out.flush();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(4);
        int answer = in.readUnsignedByte();
        in.skipNBytes(in.readInt());
        return answer;
    }

    /** A string map of one entry. */
    private static byte[] startupBody() {
        return "\0\1\0\13CQL_VERSION\0\0053.0.0".getBytes(StandardCharsets.ISO_8859_1);
    }

    /** SASL PLAIN for cassandra/cassandra, 20 bytes, after their count. */
    private static byte[] passwordBody() {
        return "\0\0\0\24\0cassandra\0cassandra".getBytes(StandardCharsets.ISO_8859_1);
    }
}
