package io.overdrive.jobs.keys;

import io.overdrive.jobs.KeyJson;
import java.util.List;
import java.util.TreeSet;

/**
 * The keys that no row has.
 *
 * @param count of the keys
 * @param first of them in the order of the table, as JSON objects; at most 10
 */
public record MissingKeys(long count, List<String> first) {
    private static final int MAX_NAMED = 10;

    public MissingKeys {
        first = List.copyOf(first);
    }

    /** Collects them. Thread-safe. */
    static final class Found {
        /** Guarded by this, as is the JSON. */
        private long count;

        private final KeyJson json;
        /** The first ones; guarded by this. */
        private final TreeSet<Named> first = new TreeSet<>();

        /** A key, in the order of the table: those of one token are found in their order. */
        private record Named(long token, long number, String json) implements Comparable<Named> {
            @Override
            public int compareTo(Named other) {
                int order = Long.compare(token, other.token);
                return order != 0 ? order : Long.compare(number, other.number);
            }
        }

        Found(KeyJson json) {
            this.json = json;
        }

        /** @param key its columns, each with its length in front */
        synchronized void add(long token, byte[] key) {
            count++;
            if (first.size() < MAX_NAMED || token < first.last().token()) {
                first.add(new Named(token, count, json.json(key)));
                if (first.size() > MAX_NAMED) {
                    first.pollLast();
                }
            }
        }

        synchronized MissingKeys now() {
            return new MissingKeys(count, first.stream().map(Named::json).toList());
        }
    }
}
