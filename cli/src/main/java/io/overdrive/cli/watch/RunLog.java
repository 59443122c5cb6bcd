package io.overdrive.cli.watch;

import io.overdrive.NodeTotals;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Figures;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the story of a run to its log, if there is one. {@link #tick} is called by one thread at a time; the rest is
 * thread-safe.
 */
final class RunLog {
    private static final Logger LOG = LoggerFactory.getLogger(Logging.RUN);
    /** Seconds between lines about retries and rejects. */
    private static final int REPORT_SECONDS = 10;

    private static final int PROGRESS_SECONDS = 60;

    private final RateLine line = new RateLine();
    private final Set<String> nodesDown = new HashSet<>();
    private boolean isWaiting;
    private boolean isHeldBack;
    private long failures;
    private long retries;
    private long rejected;
    private int seconds;

    static void info(String text) {
        LOG.info(text);
    }

    static void failed(String text, @Nullable Throwable cause) {
        LOG.error(text, cause);
    }

    /** Logs printed text, a line at a time. */
    static void info(Consumer<PrintWriter> printer) {
        if (LOG.isInfoEnabled()) {
            StringWriter text = new StringWriter();
            PrintWriter out = new PrintWriter(text);
            printer.accept(out);
            out.flush();
            LOG.info(text.toString().stripTrailing());
        }
    }

    /** Logs changes; called each second. */
    void tick(Figures now, @Nullable String heldBack, Set<String> down, List<NodeTotals> nodes) {
        seconds++;
        nodes(down);
        if (now.waiting() != null != isWaiting) {
            isWaiting = now.waiting() != null;
            if (isWaiting) {
                LOG.warn("waits: {}", now.waiting());
            } else {
                LOG.info("waits no longer");
            }
        }
        if (heldBack != null != isHeldBack) {
            isHeldBack = heldBack != null;
            LOG.info(isHeldBack ? heldBack : "held back no longer");
        }
        if (seconds % REPORT_SECONDS == 0) {
            retries(nodes);
            rejects(now.rejected());
        }
        if (seconds % PROGRESS_SECONDS == 0) {
            LOG.info(line.of(now, heldBack));
        }
    }

    private void nodes(Set<String> down) {
        for (String node : new TreeSet<>(down)) {
            if (nodesDown.add(node)) {
                LOG.warn("node {} is down", node);
            }
        }
        for (String node : new TreeSet<>(nodesDown)) {
            if (!down.contains(node)) {
                nodesDown.remove(node);
                LOG.info("node {} is up", node);
            }
        }
    }

    private void retries(List<NodeTotals> nodes) {
        long overloaded = nodes.stream().mapToLong(NodeTotals::overloaded).sum();
        long timedOut = nodes.stream().mapToLong(NodeTotals::timedOut).sum();
        long lost = nodes.stream().mapToLong(NodeTotals::lost).sum();
        long retriesNow = nodes.stream().mapToLong(NodeTotals::retries).sum();
        if (overloaded + timedOut + lost > failures || retriesNow > retries) {
            LOG.warn(
                    "retries: {} more; of all requests, {} met overload, {} timed out, {} were lost",
                    Amount.count(retriesNow - retries),
                    Amount.count(overloaded),
                    Amount.count(timedOut),
                    Amount.count(lost));
        }
        failures = overloaded + timedOut + lost;
        retries = retriesNow;
    }

    private void rejects(long rejectedNow) {
        if (rejectedNow > rejected) {
            LOG.warn(
                    "rejected rows: {} more, {} in all",
                    Amount.count(rejectedNow - rejected),
                    Amount.count(rejectedNow));
            rejected = rejectedNow;
        }
    }
}
