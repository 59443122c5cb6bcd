package io.overdrive.bench;

/** How large an experiment is: each has its own numbers for each of these. */
public enum Preset {
    /** A smoke test: seconds, one or few small nodes. Its figures mean little. */
    TINY,
    /** A machine of one's own with 2 to 8 cores: a few minutes. */
    LAPTOP,
    /** Two data centres on such a machine. */
    DC2,
    /** The numbers of the original, for a real cluster. */
    PAPER
}
