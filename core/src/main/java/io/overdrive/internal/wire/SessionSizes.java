package io.overdrive.internal.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.FoundSizes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/** Sizes that hold as long as a session, for its last jobs. Thread-safe. */
final class SessionSizes implements FoundSizes {
    static final int MAX_SIZES = 256;

    @GuardedBy("this") private final Map<String, Integer> sizes = new LinkedHashMap<>();

    @Override
    public synchronized OptionalInt find(String key) {
        Integer size = sizes.get(key);
        return size == null ? OptionalInt.empty() : OptionalInt.of(size);
    }

    @Override
    public synchronized void keep(String key, int value) {
        sizes.remove(key); // it becomes the newest
        sizes.put(key, value);
        if (sizes.size() > MAX_SIZES) {
            sizes.remove(sizes.keySet().iterator().next());
        }
    }
}
