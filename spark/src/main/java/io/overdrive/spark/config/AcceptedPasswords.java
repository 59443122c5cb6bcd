package io.overdrive.spark.config;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The last passwords with which a cluster has accepted a user: tasks that began with one of them need no login. No task runs any
 * more with a password that a vault changed long ago. Thread-safe; asking waits for nothing.
 */
final class AcceptedPasswords {
    static final int MAX = 100;

    private final Set<String> all = ConcurrentHashMap.newKeySet();
    /** Ordered by age; guarded by this object. */
    private final Deque<String> inOrder = new ArrayDeque<>();

    boolean contains(String password) {
        return all.contains(password);
    }

    /** Forgets the oldest one if there are too many. */
    synchronized void add(String password) {
        if (all.add(password)) {
            inOrder.add(password);
            if (inOrder.size() > MAX) {
                all.remove(inOrder.remove());
            }
        }
    }
}
