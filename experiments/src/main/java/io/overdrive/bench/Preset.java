package io.overdrive.bench;

/** How large an experiment is: each experiment has its own numbers for each preset. */
public enum Preset {
    /** A smoke test: seconds, one or few small nodes. Its figures mean little. */
    TINY,
    /** A personal machine with 2 to 8 cores: a few minutes. */
    LAPTOP,
    /** Two data centres on such a machine. */
    DC2,
    /** The numbers of the original, for a real cluster. */
    PAPER
}
