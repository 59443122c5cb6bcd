package io.overdrive;

/** How requests and answers are compressed on their way between client and nodes. */
public enum WireCompression {
    /** Not at all. */
    NONE,
    /** Needs lz4-java on the class path. */
    LZ4,
    /** Needs snappy-java on the class path, and has connections use version 4 of the native protocol, because version 5 has no snappy. */
    SNAPPY
}
