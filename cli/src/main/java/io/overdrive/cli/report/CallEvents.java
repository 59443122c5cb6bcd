package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes events for the program that makes calls: an object of JSON a line, as docs/design/python.md lists them. After a write has failed,
 * the program has ended, and the others are left out. Thread-safe.
 */
public final class CallEvents {
    static final int PROTOCOL = 1;

    private static final int MAX_CHARACTER_BYTES = 4;

    private final OutputStream out;
    private final Runnable gone;

    @GuardedBy("this") private boolean isGone;

    /** @param gone is run once if nobody reads the events */
    public CallEvents(OutputStream out, Runnable gone) {
        this.out = out;
        this.gone = gone;
    }

    /** The members of an event after its name. */
    private interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    public void ready(String version) {
        event("ready", json -> {
            json.writeStringField("version", version);
            json.writeNumberField("protocol", PROTOCOL);
        });
    }

    /** @param json an object that names its event */
    public void object(String json) {
        write(json);
    }

    /**
     * Ends a call.
     *
     * @param error null if there is none
     * @param kind null if the error is of none
     * @param summary an object of JSON; null if there is none
     */
    public void done(int exit, @Nullable String error, @Nullable Kind kind, @Nullable String summary) {
        event("done", json -> {
            json.writeNumberField("exit", exit);
            json.writeStringField("error", error);
            if (kind != null) {
                json.writeStringField("kind", kind.name().toLowerCase(Locale.ROOT));
            }
            json.writeFieldName("summary");
            json.writeRawValue(summary == null ? "null" : summary);
        });
    }

    /** Text for the user's terminal, an event a line. */
    public OutputStream texts() {
        return new TextStream() {
            @Override
            int end(byte[] bytes, int count) {
                int end = count;
                while (end > 0 && bytes[end - 1] != '\n') {
                    end--;
                }
                return end;
            }

            @Override
            void piece(String text) {
                text.lines().forEach(line -> event("text", json -> json.writeStringField("text", line)));
            }
        };
    }

    /** Standard output of a call that has no socket for it, in pieces. */
    public OutputStream outputs() {
        return new TextStream() {
            @Override
            int end(byte[] bytes, int count) {
                return count < MIN_PIECE_BYTES ? 0 : wholeCharacters(bytes, count);
            }

            @Override
            void piece(String text) {
                event("output", json -> json.writeStringField("text", text));
            }
        };
    }

    /** The number of bytes without the beginning of a character at the end. */
    public static int wholeCharacters(byte[] bytes, int count) {
        int first = count - 1;
        while (first > 0 && count - first < MAX_CHARACTER_BYTES && (bytes[first] & 0xC0) == 0x80) {
            first--;
        }
        int lead = first < 0 ? 0 : bytes[first] & 0xFF;
        int needed = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : MAX_CHARACTER_BYTES;
        return count - first < needed ? first : count;
    }

    private void event(String name, Members members) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("event", name);
            members.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        write(text.toString());
    }

    private void write(String json) {
        synchronized (this) {
            if (isGone) {
                return;
            }
            try {
                out.write((json + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
                return;
            } catch (IOException e) {
                isGone = true;
            }
        }
        gone.run();
    }

    /** Bytes in UTF-8 that become events; the last ones on close. Thread-safe. */
    private abstract static class TextStream extends OutputStream {
        static final int MIN_PIECE_BYTES = 64 << 10;

        @GuardedBy("this") private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

        /** The number of bytes that can be sent now. */
        abstract int end(byte[] bytes, int count);

        abstract void piece(String text);

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int count) throws IOException {
            kept.write(bytes, from, count);
            byte[] all = kept.toByteArray();
            int end = end(all, all.length);
            if (end > 0) {
                kept.reset();
                kept.write(all, end, all.length - end);
                send(all, end);
            }
        }

        private void send(byte[] bytes, int count) throws IOException {
            String text;
            try {
                text = StandardCharsets.UTF_8
                        .newDecoder() // which refuses bytes that are no text
                        .decode(ByteBuffer.wrap(bytes, 0, count))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new IOException("standard output is no text: the call needs a socket for it (\"output\")", e);
            }
            piece(text);
        }

        @Override
        public synchronized void close() throws IOException {
            byte[] rest = kept.toByteArray();
            kept.reset();
            if (rest.length > 0) {
                send(rest, rest.length);
            }
        }
    }
}
