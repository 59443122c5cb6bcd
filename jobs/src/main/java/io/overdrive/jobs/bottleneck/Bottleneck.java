package io.overdrive.jobs.bottleneck;

import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.flow.Waits.Node;
import io.overdrive.jobs.bottleneck.NodeLoad.NodeWait;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cause that limits a run, or has limited it. Immutable.
 *
 * @param share of the threads' time, 0 to 1
 * @param evidence the measurements, in words
 * @param shares of all causes; they add up to 1
 */
public record Bottleneck(Cause cause, double share, String evidence, Map<Cause, Double> shares) {
    /** A run that collects garbage for this share of its time lacks memory, even if it works for longer. */
    private static final double MUCH_GARBAGE = 0.3;
    /** A second cause with at least this share is named, too. */
    private static final double WORTH_NAMING = 0.25;

    private static final int MAX_NAMED_NODES = 5;

    /** @param times of one span, or the sum of several */
    static @Nullable Bottleneck of(CauseTimes times, Span span) {
        Map<Cause, Double> shares = shares(times);
        if (shares.isEmpty()) {
            return null;
        }
        Cause cause = largest(shares, null);
        if (cause == Cause.CLIENT_CPU && shares.getOrDefault(Cause.GARBAGE_COLLECTION, 0.0) >= MUCH_GARBAGE) {
            cause = Cause.GARBAGE_COLLECTION;
        }
        return of(cause, times, span);
    }

    /** As {@link #of(CauseTimes, Span)}, for one of the causes. */
    static Bottleneck of(Cause cause, CauseTimes times, Span span) {
        Map<Cause, Double> shares = shares(times);
        double share = shares.getOrDefault(cause, 0.0);
        String evidence =
                cause == Cause.SILENT_NODE ? silentNodes(share, times.silentNanos()) : evidence(cause, share, span);
        Cause second = largest(shares, cause);
        if (shares.getOrDefault(second, 0.0) >= WORTH_NAMING) {
            evidence += "; then " + second + ", " + percent(shares.getOrDefault(second, 0.0));
        }
        return new Bottleneck(cause, share, evidence, Map.copyOf(shares));
    }

    private static Map<Cause, Double> shares(CauseTimes times) {
        double all = times.sum();
        Map<Cause, Double> shares = new EnumMap<>(Cause.class);
        if (all > 0) {
            times.nanos().forEach((cause, some) -> shares.put(cause, some / all));
        }
        return shares;
    }

    private static Cause largest(Map<Cause, Double> shares, @Nullable Cause without) {
        return shares.entrySet().stream()
                .filter(each -> each.getKey() != without)
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(Cause.CLUSTER);
    }

    private static String evidence(Cause cause, double share, Span span) {
        String waits = "threads wait for it " + percent(share) + " of their time";
        return switch (cause) {
            case INPUT, OUTPUT, QUERY, DISK, IMPORT, RATE_LIMIT, GUARD -> waits;
            case CLIENT_CPU -> "threads work " + percent(share) + " of their time, " + processors(span);
            case THREADS -> "threads work " + percent(share) + " of their time, but " + processors(span);
            case GARBAGE_COLLECTION -> "it takes " + percent(share) + " of the time";
            case NETWORK -> network(waits, span);
            case SILENT_NODE -> waits;
            case SLOW_NODE -> slowNode(share, span);
            case SKEW -> skew(span);
            case CLUSTER -> waits + roundTrip(span);
        };
    }

    private static String processors(Span span) {
        String ours = String.format(
                Locale.ROOT,
                "this process uses %.1f of %d processor%s",
                span.cpuShare() * span.processors(),
                span.processors(),
                span.processors() == 1 ? "" : "s");
        double others = span.machineShare() - span.cpuShare();
        return others < 0.2 ? ours : ours + String.format(Locale.ROOT, ", others %.1f", others * span.processors());
    }

    private static String network(String waits, Span span) {
        Node node = mostWaitedFor(span);
        return node == null
                ? waits
                : waits + "; to " + node.name() + " an empty request takes " + time(node.emptyNanos()) + ", "
                        + (node.requests() == 0
                                ? "no round trip has ended"
                                : "a round trip " + time(node.roundTripNanos()));
    }

    /** Names the nodes that were waited for longest. */
    private static String silentNodes(double share, Map<String, Double> nanos) {
        String names = nanos.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(MAX_NAMED_NODES)
                .map(Map.Entry::getKey)
                .collect(Collectors.joining(", "));
        int others = nanos.size() - MAX_NAMED_NODES;
        return names + (others <= 0 ? "" : " and " + others + (others == 1 ? " other" : " others"))
                + ": threads wait for " + (nanos.size() == 1 ? "it " : "them ") + percent(share) + " of their time";
    }

    private static String slowNode(double share, Span span) {
        NodeLoad load = mostWaits(span);
        if (load == null) {
            return "threads wait for it " + percent(share) + " of their time";
        }
        NodeWait slow = load.waits().get(0);
        return slow.node().name() + ": threads wait for it " + percent(share) + " of their time; its round trips take "
                + time(slow.node().roundTripNanos()) + ", the others' " + time(load.roundTripOfOthers());
    }

    private static String skew(Span span) {
        for (Waits waits : span.job().waits()) {
            Concentration found = Concentration.of(waits);
            if (found.isSkew()) {
                String share = percent(found.share());
                return waits.isRead()
                        ? "one split gives " + share + " of the bytes"
                        : found.places() == 1
                                ? "one partition gets " + share + " of the bytes"
                                : found.places() + " partitions get " + share + " of the bytes";
            }
        }
        NodeLoad load = mostWaits(span);
        if (load == null || !load.isOneNode()) {
            return "a few at a time get most of the bytes";
        }
        Node first = load.waits().get(0).node();
        boolean isSpeedKnown = first.requests() > 0 && load.roundTripOfOthers() > 0;
        return first.name() + " has " + percent(load.waits().get(0).nanos() / load.nanos()) + " of the waits"
                + (isSpeedKnown ? ", and answers as fast as the others" : "");
    }

    private static String roundTrip(Span span) {
        Node node = mostWaitedFor(span);
        return node == null || node.requests() == 0
                ? ""
                : "; a round trip to " + node.name() + " takes " + time(node.roundTripNanos());
    }

    private static @Nullable Node mostWaitedFor(Span span) {
        NodeLoad load = mostWaits(span);
        return load == null ? null : load.waits().get(0).node();
    }

    /** The load of the writer or scan whose nodes are waited for most. */
    private static @Nullable NodeLoad mostWaits(Span span) {
        return span.job().waits().stream()
                .map(waits -> NodeLoad.of(waits, waits.answersNanos()))
                .filter(load -> !load.waits().isEmpty())
                .max(Comparator.comparingDouble(NodeLoad::nanos))
                .orElse(null);
    }

    private static String time(double nanos) {
        return nanos < 10e6
                ? String.format(Locale.ROOT, "%.1f ms", nanos / 1e6)
                : String.format(Locale.ROOT, "%.0f ms", nanos / 1e6);
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }
}
