package io.overdrive.formats.records;

/**
 * A record as it is in its file.
 *
 * @param line where it starts, from 1
 * @param position its position in the whole input
 * @param bytes the record without its line end; never changed
 */
@SuppressWarnings("ArrayRecordComponent") // written to a file, never compared
public record RawRecord(FileHeader header, long line, long position, byte[] bytes) {}
