package io.overdrive.sstable.format;

/**
 * Base of the write times and expiries in rows, which are stored as the distance from it: small distances take few
 * bytes. Immutable.
 *
 * @param writeTime in microseconds since 1970
 * @param expiry in seconds since 1970, not later than any in the file
 */
public record EncodingBase(long writeTime, int expiry) {}
