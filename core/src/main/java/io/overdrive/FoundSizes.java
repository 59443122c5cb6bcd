package io.overdrive;

import java.util.OptionalInt;

/**
 * Keeps the sizes of requests and pages, and the numbers of splits, that jobs have found to be the fastest, so that later jobs with
 * the same statement begin with them. The command line keeps them in a file; a program may keep them anywhere. Thread-safe.
 */
public interface FoundSizes {
    /** Keeps nothing: each job begins with the defaults. */
    FoundSizes NONE = new FoundSizes() {
        @Override
        public OptionalInt find(String key) {
            return OptionalInt.empty();
        }

        @Override
        public void keep(String key, int value) {}
    };

    /**
     * Returns the size that was kept last, if there is one. Called when a job begins; must not throw.
     *
     * @param key names a cluster, a table, a statement and a setting
     */
    OptionalInt find(String key);

    /** Keeps a value, in place of the one before. Called when a job ends; must not throw. */
    void keep(String key, int value);
}
