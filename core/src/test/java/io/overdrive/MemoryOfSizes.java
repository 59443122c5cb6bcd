package io.overdrive;

import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Found sizes in memory. Thread-safe. */
public final class MemoryOfSizes implements FoundSizes {
    public final ConcurrentMap<String, Integer> values = new ConcurrentHashMap<>();

    @Override
    public OptionalInt find(String key) {
        Integer value = values.get(key);
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }

    @Override
    public void keep(String key, int value) {
        values.put(key, value);
    }
}
