package io.overdrive.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.cli.options.Caller;
import io.overdrive.cli.options.KeptConnections;
import io.overdrive.cli.options.KeptConnections.Outcome;
import io.overdrive.cli.report.CallEvents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A command that another program runs in this process, from its request to its end. Thread-safe: it is cancelled by another thread. */
final class Call extends Caller {
    /** A line of the program. */
    record Request(
            List<String> args,
            Map<String, String> environment,
            @Nullable String input,
            @Nullable String output,
            boolean isCancel) {
        static final Request NONE =
                new Request(List.of(), Map.of(), /* input */ null, /* output */ null, /* isCancel */ false);

        /** @throws IllegalArgumentException if the line is no request */
        static Request parse(String line) {
            List<String> args = null;
            Map<String, String> environment = new HashMap<>();
            String input = null;
            String output = null;
            boolean isCancel = false;
            try (JsonParser json = new JsonFactory().createParser(line)) {
                require(json.nextToken(), JsonToken.START_OBJECT, "an object");
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    json.nextToken();
                    switch (name) {
                        case "args" -> args = texts(json);
                        case "environment" -> environment.putAll(members(json));
                        case "input" -> input = optionalText(json);
                        case "output" -> output = optionalText(json);
                        case "cancel" -> isCancel = json.getBooleanValue();
                        default -> json.skipChildren(); // of a newer protocol
                    }
                }
                require(json.currentToken(), JsonToken.END_OBJECT, "an object");
            } catch (IOException e) {
                // without the message, which quotes the line: there may be a password in it
                throw new IllegalArgumentException("a request must be an object of JSON on one line", e);
            }
            if (args == null && !isCancel) {
                throw new IllegalArgumentException("a request needs \"args\", the words of a command line");
            }
            return new Request(args == null ? List.of() : args, environment, input, output, isCancel);
        }

        private static List<String> texts(JsonParser json) throws IOException {
            require(json.currentToken(), JsonToken.START_ARRAY, "an array of texts");
            List<String> texts = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                texts.add(text(json));
            }
            return texts;
        }

        private static Map<String, String> members(JsonParser json) throws IOException {
            require(json.currentToken(), JsonToken.START_OBJECT, "an object of texts");
            Map<String, String> members = new HashMap<>();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                members.put(name, text(json));
            }
            return members;
        }

        private static @Nullable String optionalText(JsonParser json) throws IOException {
            return json.currentToken() == JsonToken.VALUE_NULL ? null : text(json);
        }

        private static String text(JsonParser json) throws IOException {
            require(json.currentToken(), JsonToken.VALUE_STRING, "a text");
            return json.getText();
        }

        private static void require(@Nullable JsonToken token, JsonToken expected, String what) {
            if (token != expected) {
                throw new IllegalArgumentException("a request has no valid value where " + what + " must be");
            }
        }
    }

    private final Request request;
    private final @Nullable String problem;
    private final KeptConnections connections;
    private final CallEvents events;

    @GuardedBy("this") private @Nullable Thread thread;

    @GuardedBy("this") private @Nullable CallStreams streams;

    @GuardedBy("this") private @Nullable Runnable stop;

    @GuardedBy("this") private boolean hadJob;

    @GuardedBy("this") private boolean isCancelled;

    @GuardedBy("this") private boolean isInterrupted;

    @GuardedBy("this") private @Nullable String error;

    @GuardedBy("this") private @Nullable Kind kind;

    @GuardedBy("this") private @Nullable String summary;

    /** @param problem why the request is none; null if it is one */
    Call(Request request, @Nullable String problem, KeptConnections connections, CallEvents events) {
        this.connections = connections;
        this.request = request;
        this.problem = problem;
        this.events = events;
    }

    /**
     * Runs the command in the calling thread, sends its end, and returns the exit code that this has.
     *
     * @param beforeEnd is run when there is nothing left to cancel, and the program does not yet know that
     */
    int run(Map<String, String> environment, Main.CommandLines commandLines, Runnable beforeEnd) {
        if (problem != null) {
            beforeEnd.run();
            events.done(Main.USAGE, problem, /* kind */ null, /* summary */ null);
            return Main.USAGE;
        }
        int code = Main.FAILED;
        try (CallStreams opened = new CallStreams(events)) {
            begin(opened);
            opened.open(request.input(), request.output());
            Map<String, String> variables = new HashMap<>(environment);
            variables.putAll(request.environment());
            int ended = Main.run(
                    variables,
                    /* isResumed */ false,
                    commandLines::take,
                    request.args().toArray(String[]::new));
            System.out.flush();
            code = StandardOutput.isReaderGone() ? Main.READER_GONE : ended;
        } catch (IOException e) {
            failed(String.valueOf(e.getMessage()), /* kind */ null);
            code = Main.FAILED;
        } finally {
            code = end(code, beforeEnd);
        }
        return code;
    }

    private synchronized void begin(CallStreams opened) {
        set(this);
        streams = opened;
        thread = Thread.currentThread();
        if (isCancelled) {
            interrupt(thread, opened);
        }
    }

    private int end(int code, Runnable beforeEnd) {
        set(null);
        int exit;
        String sentence;
        Kind itsKind;
        String document;
        synchronized (this) {
            thread = null;
            streams = null;
            boolean isEndedByInterrupt = isInterrupted && (code == Main.FAILED || code == Main.USAGE);
            exit = isEndedByInterrupt ? Main.INTERRUPTED : code;
            sentence = isEndedByInterrupt ? null : error;
            itsKind = kind;
            document = summary;
        }
        var unused = Thread.interrupted(); // for the next call
        try {
            connections.ended(exit == Main.DONE || exit == Main.DONE_WITH_REJECTS ? Outcome.DONE : Outcome.OTHERWISE);
        } finally {
            beforeEnd.run();
            events.done(exit, sentence, sentence == null ? null : itsKind, document);
        }
        return exit;
    }

    /** Ends the job in an orderly way; before there is one, the steps towards it. */
    void cancel() {
        Runnable job;
        synchronized (this) {
            isCancelled = true;
            job = stop;
            Thread running = thread;
            CallStreams opened = streams;
            if (job == null && running != null && opened != null && !hadJob) {
                interrupt(running, opened);
            }
        }
        if (job != null) {
            job.run();
        }
    }

    /** Ends what waits for a node or for input. */
    @GuardedBy("this") private void interrupt(Thread running, CallStreams opened) {
        isInterrupted = true;
        running.interrupt();
        opened.closeInput();
    }

    @Override
    public void onCancel(@Nullable Runnable job) {
        boolean isLate;
        synchronized (this) {
            stop = job;
            hadJob = true;
            isLate = isCancelled;
            if (isInterrupted && thread == Thread.currentThread()) {
                var unused = Thread.interrupted(); // the job ends in its own way
            }
        }
        if (isLate && job != null) {
            job.run();
        }
    }

    @Override
    public Overdrive connect(ConnectOptions options) {
        Overdrive connection = connections.connect(options);
        synchronized (this) {
            if (!isCancelled) {
                return connection;
            }
        }
        connection.close(); // the driver's steps of connecting cannot be interrupted
        throw new OverdriveException(Kind.INTERRUPTED, "cancelled while it connected");
    }

    @Override
    public SSLContext tls(List<Object> parts, Supplier<SSLContext> made) {
        return connections.tls(parts, made);
    }

    @Override
    public void progress(String json) {
        events.object(json);
    }

    @Override
    public synchronized void summary(String json) {
        summary = json;
    }

    @Override
    protected synchronized void failed(String message, @Nullable Kind ofError) {
        error = message;
        kind = ofError;
    }
}
