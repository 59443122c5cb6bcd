package io.overdrive.sstable.format;

/**
 * What write times and expiries in rows are stored as the distance from: small distances take few bytes. Immutable.
 *
 * @param writeTime in microseconds since 1970
 * @param expiry in seconds since 1970, not later than any in the file
 */
public record EncodingBase(long writeTime, int expiry) {}
