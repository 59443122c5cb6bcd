package io.overdrive.cli.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary.Outcome;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The progress of a run as JSON objects, for programs; docs/reference/metrics.md lists the members. Confined to one thread at a time. */
final class ProgressJson {
    private final String run;
    private final String command;
    private final Clock clock;
    private long lastRows;
    private long lastBytes;
    private Duration lastElapsed = Duration.ZERO;

    ProgressJson(String run, String command, Clock clock) {
        this.run = run;
        this.command = command;
        this.clock = clock;
    }

    /**
     * @param heldBack why the run is held back; null if it is not
     * @param limitedBy bottleneck of the run; null if unknown
     */
    String progress(Figures now, @Nullable String heldBack, @Nullable String limitedBy) {
        return object("progress", now, heldBack, limitedBy, /* outcome */ null);
    }

    /** The wait for the first row of a query, before the job has figures. */
    String query(Duration elapsed, String waiting) {
        Figures.Counts none = new Figures.Counts(-1, -1, -1, -1, -1, -1, -1, -1);
        return progress(
                new Figures(elapsed, 0, 0, 0, Duration.ZERO, /* rejected */ -1, /* done */ -1, waiting, none),
                /* heldBack */ null,
                /* limitedBy */ null);
    }

    /** @param last null if the job did not begin */
    String end(@Nullable Figures last, Outcome outcome) {
        return object("end", last, /* heldBack */ null, /* limitedBy */ null, outcome);
    }

    private String object(
            String event,
            @Nullable Figures now,
            @Nullable String heldBack,
            @Nullable String limitedBy,
            @Nullable Outcome outcome) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("event", event);
            json.writeStringField(
                    "time", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString());
            json.writeStringField("run", run);
            json.writeStringField("command", command);
            if (outcome != null) {
                json.writeStringField("outcome", outcome.name().toLowerCase(Locale.ROOT));
            }
            if (now != null) {
                members(json, now);
            }
            if (heldBack != null) {
                json.writeStringField("heldBack", heldBack);
            }
            if (limitedBy != null) {
                json.writeStringField("limitedBy", limitedBy);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private void members(JsonGenerator json, Figures now) throws IOException {
        Duration since = now.elapsed().minus(lastElapsed);
        json.writeNumberField("seconds", seconds(now.elapsed()));
        json.writeNumberField("rows", now.rows());
        json.writeNumberField("rowsPerSecond", rate(now.rows() - lastRows, since));
        json.writeNumberField("meanRowsPerSecond", rate(now.rows(), now.elapsed()));
        json.writeNumberField("bytes", now.bytes());
        json.writeNumberField("bytesPerSecond", rate(now.bytes() - lastBytes, since));
        json.writeNumberField("inFlight", now.inFlight());
        json.writeNumberField(
                "p99Millis", TimeUnit.NANOSECONDS.toMicros(now.p99().toNanos()) / 1000.0);
        if (now.rejected() >= 0) {
            json.writeNumberField("rejected", now.rejected());
        }
        if (now.done() >= 0) {
            json.writeNumberField("done", Math.floor(1000 * now.done()) / 1000);
        }
        Duration left = now.left();
        if (left != null) {
            json.writeNumberField("secondsLeft", seconds(left));
        }
        if (now.waiting() != null) {
            json.writeStringField("waiting", now.waiting());
        }
        lastRows = now.rows();
        lastBytes = now.bytes();
        lastElapsed = now.elapsed();
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }

    private static long rate(long count, Duration time) {
        return Math.max(0, Math.round(Amount.perSecond(count, time)));
    }
}
