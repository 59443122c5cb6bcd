package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A program that makes calls of {@code overdrive calls}, which runs in this process. Confined to the thread of the test. */
final class Parent implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path directory;
    private final OutputStream requests;
    private final Lines events = new Lines();
    private final CompletableFuture<Integer> exit;
    private final AtomicInteger bounds = new AtomicInteger();
    private int sockets;

    /** A call that is done: its last event, and those before it. */
    record Done(JsonNode event, List<JsonNode> before) {
        int exit() {
            return event.get("exit").asInt();
        }

        String error() {
            return event.get("error").asText();
        }

        JsonNode summary() {
            return event.get("summary");
        }

        List<String> texts(String event) {
            return before.stream()
                    .filter(each -> each.get("event").asText().equals(event))
                    .map(each -> each.get("text").asText())
                    .toList();
        }
    }

    Parent(Path directory) throws IOException {
        this.directory = directory;
        Pipe toChild = Pipe.open();
        requests = Channels.newOutputStream(toChild.sink());
        InputStream childIn = Channels.newInputStream(toChild.source());
        CallsCommand.Serving serving =
                new CallsCommand.Serving(childIn, events, Map.of(), () -> bounds.incrementAndGet());
        exit = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        exit.complete(serving.run("1.2.3"));
                    } catch (Throwable e) {
                        exit.completeExceptionally(e);
                    } finally {
                        events.close();
                    }
                },
                "calls");
        thread.setDaemon(true);
        thread.start();
        JsonNode ready = next();
        assertThat(ready.get("event").asText()).isEqualTo("ready");
        assertThat(ready.get("version").asText()).isEqualTo("1.2.3");
        assertThat(ready.get("protocol").asInt()).isEqualTo(1);
    }

    void send(String line) throws IOException {
        requests.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        requests.flush();
    }

    void send(Map<String, ?> request) throws IOException {
        send(JSON.writeValueAsString(request));
    }

    private JsonNode next() throws IOException {
        try {
            String line = events.lines.take();
            assertThat(line).as("an event").isNotEqualTo(Lines.END);
            return JSON.readTree(line);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted while it waited for an event");
        }
    }

    /** The lines that are written to it. As standard output of a process, and unlike a pipe of Java, it stays open if the writing thread is interrupted. */
    private static final class Lines extends OutputStream {
        /** No line of JSON. */
        static final String END = "";

        final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private final ByteArrayOutputStream rest = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int b) {
            if (b == '\n') {
                lines.add(rest.toString(StandardCharsets.UTF_8));
                rest.reset();
            } else {
                rest.write(b);
            }
        }

        @Override
        public void close() {
            lines.add(END);
        }
    }

    /** Waits for the end of the call that runs. */
    Done done() throws IOException {
        List<JsonNode> before = new ArrayList<>();
        JsonNode event = next();
        while (!event.get("event").asText().equals("done")) {
            before.add(event);
            event = next();
        }
        return new Done(event, before);
    }

    /** Makes a call without sockets. */
    Done call(String... args) throws IOException {
        send(Map.of("args", args));
        return done();
    }

    ServerSocketChannel listen() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(directory.resolve("socket" + sockets++)));
        return server;
    }

    static String path(ServerSocketChannel server) throws IOException {
        return String.valueOf(server.getLocalAddress());
    }

    /** The bytes that a call writes to its output socket; the reader sees their end before the call is done. */
    byte[] output(String... args) throws IOException {
        try (ServerSocketChannel server = listen()) {
            send(Map.of("args", args, "output", path(server)));
            try (SocketChannel socket = server.accept()) {
                return Channels.newInputStream(socket).readAllBytes();
            }
        }
    }

    /** Makes a call with an input that ends as it should. */
    Done input(byte[] input, String... args) throws IOException {
        try (ServerSocketChannel server = listen()) {
            send(Map.of("args", args, "input", path(server)));
            try (SocketChannel socket = server.accept()) {
                socket.write(ByteBuffer.wrap(input));
                socket.shutdownOutput();
                return done();
            }
        }
    }

    /** Ends the requests, and returns the exit code. */
    int end() throws IOException, ExecutionException, InterruptedException {
        requests.close();
        return exit.get();
    }

    /** How often the time until the end was bounded. */
    int bounds() {
        return bounds.get();
    }

    @Override
    public void close() throws IOException, ExecutionException, InterruptedException {
        end();
    }
}
