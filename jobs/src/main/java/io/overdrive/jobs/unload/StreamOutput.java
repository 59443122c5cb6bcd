package io.overdrive.jobs.unload;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.io.PrintStream;

/** All records to a stream that is not closed, in no particular order. It cannot be resumed. */
final class StreamOutput extends Output implements Output.Sink {
    private final Chunks chunks;
    private final PrintStream stream;

    StreamOutput(PrintStream stream, Compression compression, RecordWriter records) {
        super(/* place */ null, compression, records);
        this.chunks = new Chunks(compression);
        this.stream = stream;
        try {
            chunks.pack(header, header.length, this::append);
        } catch (IOException e) {
            throw cannotWrite("standard output", e);
        }
    }

    @Override
    Sink split(int number, Position from) {
        return this;
    }

    @Override
    public void write(Bytes records) throws IOException {
        chunks.pack(records.array(), records.length(), this::append);
    }

    private void append(byte[] bytes, int count) {
        writing.begin(System.nanoTime());
        try {
            appendNext(bytes, count);
        } finally {
            writing.end(System.nanoTime());
        }
    }

    private synchronized void appendNext(byte[] bytes, int count) {
        stream.write(bytes, 0, count);
        storedBytes.add(count);
        // a print stream does not report what went wrong
        if (stream.checkError()) {
            throw new OverdriveException(
                    Kind.INPUT, "standard output cannot be written: its reader has ended, or the disk is" + " full");
        }
    }

    @Override
    public void reached(Position position) {}

    @Override
    public void end(Position position) {}

    @Override
    Checkpoint checkpoint() {
        throw new IllegalStateException("standard output cannot be truncated");
    }

    @Override
    void publish() {}

    @Override
    void finish(long rows) throws IOException {
        byte[] end = footer(/* file */ null, 0);
        chunks.pack(end, end.length, this::append);
    }

    @Override
    public void close() {}

    @Override
    long rowsKept(long given, long ended) {
        return given;
    }
}
