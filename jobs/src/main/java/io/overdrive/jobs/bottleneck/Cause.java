package io.overdrive.jobs.bottleneck;

/** A cause that may limit a run. docs/concepts/limits.md says how each is measured, and what helps. */
public enum Cause {
    INPUT("the input"),
    OUTPUT("the output"),
    QUERY("the query"),
    CLIENT_CPU("client CPU"),
    THREADS("the number of threads"),
    GARBAGE_COLLECTION("garbage collection"),
    DISK("the disk for spilled rows"),
    IMPORT("the import by the nodes"),
    RATE_LIMIT("the rate limit"),
    GUARD("the guard"),
    NETWORK("the network"),
    SILENT_NODE("a node that does not answer"),
    SLOW_NODE("one slow node"),
    SKEW("skew to few partitions"),
    CLUSTER("the cluster");

    private final String text;

    Cause(String text) {
        this.text = text;
    }

    /** The name as it follows "limited by". */
    @Override
    public String toString() {
        return text;
    }
}
