package io.overdrive.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.cli.options.KeptConnections;
import io.overdrive.cli.report.CallEvents;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** {@code overdrive calls}: runs the commands that a program requests, one after another. */
@Command(
        name = "calls",
        hidden = true,
        customSynopsis = "overdrive calls",
        description =
                "Serves the Python package overdrive-cassandra, which starts it: runs one command line after another in one"
                        + " process. Reads requests from standard input, and writes events to standard output, an object"
                        + " of JSON a line.")
final class CallsCommand implements Callable<Integer> {
    private static final long MAX_END_NANOS = TimeUnit.SECONDS.toNanos(10);

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        String version = spec.root().version()[0].replaceFirst("^overdrive ", "");
        Serving serving = new Serving(System.in, System.out, System.getenv(), CallsCommand::haltLater);
        Signal.handle(new Signal("INT"), SignalHandler.SIG_IGN); // Ctrl-C is for the program, which cancels the call
        Signal.handle(new Signal("TERM"), signal -> serving.end());
        Signal.handle(new Signal("HUP"), signal -> serving.end());
        return serving.run(version);
    }

    /** A job that does not end, as nobody reads its output, is ended with the process. */
    private static void haltLater() {
        Thread thread = new Thread(
                () -> {
                    long start = System.nanoTime();
                    while (System.nanoTime() - start < MAX_END_NANOS) {
                        LockSupport.parkNanos(MAX_END_NANOS);
                    }
                    Runtime.getRuntime().halt(Main.INTERRUPTED);
                },
                "overdrive-end");
        thread.setDaemon(true);
        thread.start();
    }

    /** The requests of one program. A thread reads them, and that of the command runs them. */
    static final class Serving {
        private final InputStream requests;
        private final CallEvents events;
        private final Map<String, String> environment;
        private final Runnable bound;
        private final KeptConnections connections = new KeptConnections(System::nanoTime);
        private final Main.CommandLines commandLines = new Main.CommandLines();

        /** Calls that are not done; the first one runs, or is about to. */
        @GuardedBy("this") private final Deque<Call> calls = new ArrayDeque<>();

        @GuardedBy("this") private boolean isEnded;

        @GuardedBy("this") private boolean hasCancelled;

        /** @param bound is run at the end of the requests if a call runs, which it cancels: it ends the process after some time */
        Serving(InputStream requests, OutputStream events, Map<String, String> environment, Runnable bound) {
            this.requests = requests;
            this.events = new CallEvents(events, this::end);
            this.environment = environment;
            this.bound = bound;
        }

        /**
         * Runs calls until the requests end; returns the exit code of the process, which is that of a failure if all calls have failed: the
         * launcher then keeps no archive of its classes.
         */
        int run(String version) {
            events.ready(version);
            Thread reader = new Thread(this::read, "overdrive-requests");
            reader.setDaemon(true);
            reader.start();
            try (KeptConnections kept = connections) {
                kept.closeIdleRegularly();
                int best = Main.FAILED;
                for (Call call = next(); call != null; call = next()) {
                    int code = call.run(environment, commandLines, this::remove);
                    if (code != Main.FAILED && code != Main.USAGE) {
                        best = Main.DONE;
                    }
                    commandLines.refill();
                }
                return isCancelled() ? Main.INTERRUPTED : best;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Main.INTERRUPTED;
            }
        }

        private synchronized @Nullable Call next() throws InterruptedException {
            while (calls.isEmpty() && !isEnded) {
                wait();
            }
            return isEnded ? null : calls.element();
        }

        /** Removes the call that is done, before the program learns of that and may end the requests. */
        private synchronized void remove() {
            calls.remove();
        }

        private synchronized boolean isCancelled() {
            return hasCancelled;
        }

        private void read() {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(requests, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (!line.isBlank()) {
                        take(line);
                    }
                }
            } catch (IOException e) {
                // the program has ended, too
            } finally {
                end();
            }
        }

        private void take(String line) {
            Call call;
            try {
                Call.Request request = Call.Request.parse(line);
                if (request.isCancel()) {
                    calls().forEach(Call::cancel);
                    return;
                }
                call = new Call(request, /* problem */ null, connections, events);
            } catch (IllegalArgumentException e) {
                call = new Call(Call.Request.NONE, e.getMessage(), connections, events);
            }
            synchronized (this) {
                calls.add(call);
                notifyAll();
            }
        }

        private synchronized List<Call> calls() {
            return List.copyOf(calls);
        }

        /** Cancels the call that runs, and begins no other. */
        void end() {
            List<Call> left;
            synchronized (this) {
                if (isEnded) {
                    return;
                }
                isEnded = true;
                left = calls();
                hasCancelled = !left.isEmpty();
                notifyAll();
            }
            if (!left.isEmpty()) {
                bound.run();
                left.forEach(Call::cancel);
            }
        }
    }
}
