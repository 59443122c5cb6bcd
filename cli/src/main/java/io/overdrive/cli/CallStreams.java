package io.overdrive.cli;

import io.overdrive.cli.report.CallEvents;
import io.overdrive.internal.disk.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import org.jspecify.annotations.Nullable;

/** Standard input, output and error of a call, in place of those of the process, which {@link #close} restores. Confined to the thread of the call but for {@link #closeInput}. */
final class CallStreams implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 20;

    private final InputStream inBefore = System.in;
    private final PrintStream outBefore = System.out;
    private final PrintStream errBefore = System.err;
    private final OutputStream outputs;
    private final OutputStream texts;
    private volatile @Nullable SocketChannel input;
    private @Nullable SocketChannel output;

    CallStreams(CallEvents events) {
        outputs = events.outputs();
        texts = events.texts();
        System.setIn(InputStream.nullInputStream());
        StandardOutput.install(outputs, /* isPipe */ () -> false);
        System.setErr(new PrintStream(texts, /* autoFlush */ true, StandardCharsets.UTF_8));
    }

    /**
     * Connects to the sockets.
     *
     * @param inputPath null if there is no input
     * @param outputPath null if the output goes into events
     */
    void open(@Nullable String inputPath, @Nullable String outputPath) throws IOException {
        if (inputPath != null) {
            SocketChannel channel = connect("input", inputPath);
            input = channel;
            System.setIn(new SocketInput(channel));
        }
        if (outputPath != null) {
            output = connect("output", outputPath).setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
            StandardOutput.install(Channels.newOutputStream(output), /* isPipe */ () -> true);
        }
    }

    private static SocketChannel connect(String name, String path) throws IOException {
        try {
            return SocketChannel.open(UnixDomainSocketAddress.of(path));
        } catch (IOException | InvalidPathException e) {
            throw new IOException("the socket of the " + name + ", " + path + ", cannot be connected to: " + e, e);
        }
    }

    /** Fails a read that waits for input, and all others; called by any thread. */
    void closeInput() {
        try (SocketChannel channel = input) {
            input = null;
        } catch (IOException e) {
            // it is of no more use
        }
    }

    /** The reader sees the end of the output. */
    @Override
    public void close() throws IOException {
        try (SocketChannel in = input;
                SocketChannel out = output;
                OutputStream last = texts;
                OutputStream lastOut = outputs) {
            System.out.flush();
            System.err.flush();
        } finally {
            System.setIn(inBefore);
            System.setOut(outBefore);
            System.setErr(errBefore);
        }
    }

    /**
     * Bytes of a program that shuts its side of the socket down after the last one. A program that ends amid them closes the socket, which
     * is no end of the input. Thread-safe, as the channel is.
     */
    private static final class SocketInput extends BlockStream {
        private final SocketChannel channel;
        private boolean ended;

        SocketInput(SocketChannel channel) {
            super(InputStream.nullInputStream());
            this.channel = channel;
        }

        @Override
        public synchronized int read(byte[] bytes, int from, int count) throws IOException {
            int read = ended || count == 0 ? 0 : channel.read(ByteBuffer.wrap(bytes, from, count));
            if (read < 0) {
                requireOpen();
                ended = true;
            }
            return ended ? -1 : read;
        }

        /** Nothing can be sent to a socket that was closed; nobody reads the byte. */
        private void requireOpen() throws IOException {
            try {
                channel.write(ByteBuffer.wrap(new byte[1]));
            } catch (IOException e) {
                throw new IOException(
                        "the program that writes it has ended, or has closed the socket: it must shut down the writing side"
                                + " after the last byte, and keep the socket until the call is done",
                        e);
            }
        }
    }
}
