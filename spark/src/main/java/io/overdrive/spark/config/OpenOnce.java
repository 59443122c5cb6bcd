package io.overdrive.spark.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value for each key, which the first caller opens and the others share. While one is opened, which may take long, only callers for the
 * same key wait. Thread-safe.
 */
final class OpenOnce<K, V> {
    private static final class Place<V> {
        private volatile @Nullable V value;

        synchronized V get(Supplier<V> opener) {
            V known = value;
            if (known == null) {
                known = opener.get();
                value = known;
            }
            return known;
        }
    }

    private final Map<K, Place<V>> places = new ConcurrentHashMap<>();

    /** @param opener opens the value; if it throws, so does this call, and the next caller opens */
    V get(K key, Supplier<V> opener) {
        return places.computeIfAbsent(key, any -> new Place<>()).get(opener);
    }

    /** The values that are open. */
    List<V> opened() {
        List<V> values = new ArrayList<>();
        for (Place<V> place : places.values()) {
            V value = place.value;
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }
}
