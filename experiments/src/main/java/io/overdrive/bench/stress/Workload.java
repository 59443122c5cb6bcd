package io.overdrive.bench.stress;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How often each kind of operation occurs in a load. Immutable.
 *
 * @param shares of kinds, which add up to 1; kinds without a share are missing
 */
public record Workload(Map<OperationKind, Double> shares) {
    public static final Workload WRITES = new Workload(Map.of(OperationKind.WRITE, 1.0));

    /** @throws IllegalArgumentException if a share is not above 0, or there is none */
    public Workload {
        double sum = 0;
        for (Map.Entry<OperationKind, Double> share : shares.entrySet()) {
            if (!(share.getValue() > 0 && share.getValue() < Double.POSITIVE_INFINITY)) {
                throw new IllegalOptionException(words -> words.of(JobOption.WORKLOAD) + ": the share of "
                        + share.getKey().word() + " is " + share.getValue()
                        + ", must be above 0; leave the kind out for none of it");
            }
            sum += share.getValue();
        }
        if (shares.isEmpty()) {
            throw new IllegalOptionException(words -> words.of(JobOption.WORKLOAD) + " is empty: " + WAY_OUT);
        }
        EnumMap<OperationKind, Double> normal = new EnumMap<>(OperationKind.class);
        for (Map.Entry<OperationKind, Double> share : shares.entrySet()) {
            normal.put(share.getKey(), share.getValue() / sum);
        }
        shares = Collections.unmodifiableMap(normal);
    }

    private static final String WAY_OUT = "write kinds and their shares, such as 'write 0.5 read 0.5'; the kinds are "
            + Arrays.stream(OperationKind.values()).map(OperationKind::word).collect(Collectors.joining(", "));

    /**
     * Reads {@code write 0.5 read 0.5}. Shares are divided by their sum, so {@code write 1 read 3} is valid as well.
     *
     * @throws IllegalArgumentException if the text is something else
     */
    public static Workload parse(String text) {
        String[] words = text.strip().split("[\\s,=]+");
        if (words.length % 2 != 0) {
            throw wrong(text, " is not a list of pairs");
        }
        EnumMap<OperationKind, Double> shares = new EnumMap<>(OperationKind.class);
        for (int i = 0; i < words.length; i += 2) {
            if (shares.put(kind(text, words[i]), share(text, words[i + 1])) != null) {
                throw wrong(text, " has " + words[i] + " twice");
            }
        }
        return new Workload(shares);
    }

    private static OperationKind kind(String text, String word) {
        for (OperationKind kind : OperationKind.values()) {
            if (kind.word().equalsIgnoreCase(word)) {
                return kind;
            }
        }
        throw wrong(text, ": there is no kind '" + word + "'");
    }

    private static IllegalOptionException wrong(String text, String why) {
        return new IllegalOptionException(
                words -> words.of(JobOption.WORKLOAD) + " '" + text + "'" + why + ": " + WAY_OUT);
    }

    private static double share(String text, String word) {
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw wrong(text, ": '" + word + "' is not a share");
        }
    }

    public boolean has(OperationKind kind) {
        return shares.containsKey(kind);
    }

    /** The kind at this point of the cumulated shares, from 0 to below 1. */
    OperationKind kind(double place) {
        OperationKind last = OperationKind.WRITE;
        for (Map.Entry<OperationKind, Double> share : shares.entrySet()) {
            last = share.getKey();
            place -= share.getValue();
            if (place < 0) {
                break;
            }
        }
        return last; // rounding may leave a rest, which belongs to the last kind
    }

    /** The workload in the syntax of {@link #parse}. */
    @Override
    public String toString() {
        return shares.entrySet().stream()
                .map(share -> share.getKey().word() + " " + share.getValue())
                .collect(Collectors.joining(" "));
    }
}
