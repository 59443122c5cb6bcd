package io.overdrive.simulated;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A fault of some nodes of a cluster from its start on, as a text: {@code hang=1}, {@code slow=1%}, {@code restart=rack2}. Immutable.
 *
 * @param share a number of nodes, or with a percent sign a share of them; for {@link Kind#RESTART} the name of a rack
 */
public record SimulatedFault(Kind kind, String share) {
    private static final Pattern SHARE = Pattern.compile("([1-9][0-9]{0,8})(%?)");
    private static final Duration DELAY = Duration.ofMillis(200);
    private static final Duration DOWN = Duration.ofMillis(1500);
    private static final Duration BETWEEN_RESTARTS = Duration.ofMillis(500);

    /** Faults, of which all but the last one have the names of the node's switches. */
    public enum Kind {
        HANG,
        HANG_AFTER_CONNECT,
        /** Answers 200 ms later. */
        SLOW,
        /** Is down, and stays so. */
        LOSE,
        /** Nodes of a rack restart in turn, again and again, each for 1.5 s and half a second after the one before. */
        RESTART;

        private String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public SimulatedFault {
        if (kind != Kind.RESTART && !SHARE.matcher(share).matches()) {
            throw new IllegalArgumentException(
                    kind.word() + "=" + share + ", must be a number of nodes, or such as 1%");
        }
    }

    /** @throws IllegalArgumentException if the text names no fault, or too few or too many nodes */
    public static SimulatedFault parse(String text) {
        String[] words = text.split("=", 2);
        return Arrays.stream(Kind.values())
                .filter(kind -> words.length == 2 && kind.word().equals(words[0]))
                .findFirst()
                .map(kind -> new SimulatedFault(kind, words[1]))
                .orElseThrow(() -> new IllegalArgumentException("\"" + text + "\", must be "
                        + Arrays.stream(Kind.values()).map(Kind::word).collect(Collectors.joining(", "))
                        + ", followed by = and nodes or a rack"));
    }

    /**
     * Begins it.
     *
     * @param healthy nodes without a fault, from which it takes its own
     * @throws IllegalArgumentException if they are not enough, or the rack does not exist
     */
    void begin(SimulatedCluster cluster, Set<SimulatedNode> healthy) {
        List<SimulatedNode> chosen = kind == Kind.RESTART ? rack(cluster, healthy) : spread(cluster, healthy);
        chosen.forEach(healthy::remove);
        switch (kind) {
            case HANG -> chosen.forEach(SimulatedNode::hang);
            case HANG_AFTER_CONNECT -> chosen.forEach(SimulatedNode::hangAfterConnect);
            case SLOW -> chosen.forEach(node -> node.slow(DELAY));
            case LOSE -> chosen.forEach(SimulatedNode::refuse);
            case RESTART -> cluster.restartInTurn(chosen, DOWN, BETWEEN_RESTARTS);
        }
    }

    private List<SimulatedNode> rack(SimulatedCluster cluster, Set<SimulatedNode> healthy) {
        List<SimulatedNode> nodes = cluster.nodes().stream()
                .filter(node -> node.rack().equals(share) && healthy.contains(node))
                .toList();
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException(
                    kind.word() + "=" + share + ": there is no such rack, or it has no node" + " without a fault");
        }
        return nodes;
    }

    /** Nodes at the same distances. The first node, with which clients connect, is none of them. */
    private List<SimulatedNode> spread(SimulatedCluster cluster, Set<SimulatedNode> healthy) {
        List<SimulatedNode> nodes =
                cluster.nodes().stream().skip(1).filter(healthy::contains).toList();
        Matcher parts = SHARE.matcher(share);
        int number = parts.matches() ? Integer.parseInt(parts.group(1)) : 0;
        long count = parts.group(2).isEmpty()
                ? number
                : Math.max(1, (long) number * cluster.nodes().size() / 100);
        if (count > nodes.size()) {
            throw new IllegalArgumentException(
                    kind.word() + "=" + share + ": " + nodes.size() + " nodes without a fault follow the first one");
        }
        List<SimulatedNode> chosen = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            chosen.add(nodes.get((int) (nodes.size() * (2 * i + 1) / (2 * count))));
        }
        return chosen;
    }
}
