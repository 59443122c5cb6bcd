package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.formats.arrow.ArrowReader;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnSource;
import io.overdrive.formats.columns.RefusedFileException;
import io.overdrive.formats.parquet.ParquetReader;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the batches of a columnar file into blocks of rows, so that many threads parse a batch. Used by one thread at a time.
 *
 * <p>Blocks of a batch share its memory, which is freed with the last of them: about two batches are in memory at a time. Large ones of
 * Arrow are mapped, and need no room in the heap.
 */
final class ColumnBlockReader extends FileBlocks {
    /** Batches of this size are read in place, if they are not compressed: a file may be one batch, larger than the heap. */
    private static final int MAPPED_BYTES = 16 << 20;

    private final int blockBytes;
    private long skip;
    private long left;

    private @Nullable ColumnSource source;
    /** The file, if it is read in any order. */
    private @Nullable FileChannel channel;

    private @Nullable Function<FileHeader, BitSet> wantedColumns;
    private @Nullable ColumnBatch batch;
    private int row;
    private int batchesRead;

    ColumnBlockReader(
            InputFile file, InputFormat format, int blockBytes, RawBytes rawBytes, long firstPosition, boolean sample) {
        super(file, format, rawBytes, firstPosition, sample);
        this.blockBytes = blockBytes;
        skip = format.skipRecords();
        left = format.maxRecords();
    }

    /** Refuses a columnar file that was truncated, before anything is read; a stream, a compressed file and a pipe show it only at their end. */
    static void checkEnd(InputFile file, InputFormat.Kind kind) {
        try {
            if (!file.endsAsItBegins(kind == InputFormat.Kind.PARQUET ? ParquetReader.magic() : ArrowReader.magic())) {
                throw new OverdriveException(
                        OverdriveException.Kind.INPUT,
                        file.name()
                                + ": the file ends without its footer: it is truncated or damaged. Nothing was read of"
                                + " it");
            }
        } catch (IOException e) {
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT, file.name() + ": cannot be read: " + WritableDirectory.reason(e), e);
        }
    }

    @Override
    void restrict(Function<FileHeader, BitSet> wanted) {
        wantedColumns = wanted;
        restrictSource();
    }

    private void restrictSource() {
        if (source != null && header != null && wantedColumns != null) {
            source.restrict(wantedColumns.apply(header));
        }
    }

    @Override
    @Nullable Block next() {
        try {
            return nextBlock();
        } catch (IOException | RuntimeException e) {
            close();
            throw e instanceof OverdriveException known ? known : damaged(e);
        }
    }

    private @Nullable Block nextBlock() throws IOException {
        FileHeader known = header == null ? open() : header;
        while (!finished) {
            ColumnBatch current = batch;
            if (current == null || row == current.rows()) {
                current = nextBatch();
                batch = current;
                row = 0;
                if (current == null) {
                    file.checkVersion(version);
                    addRest();
                    close();
                    break;
                }
                batchesRead = current.number();
            }
            int skipped = (int) Math.min(skip, current.rows() - row);
            skip -= skipped;
            row += skipped;
            int count = (int) Math.min(Math.min(left, rowsOfBlock(current)), current.rows() - row);
            if (count > 0) {
                return block(known, current, count);
            }
            if (left == 0) {
                close();
            }
        }
        if (!gaveBlock) {
            gaveBlock = true;
            return new Block(known, new byte[0], 0, /* inArray */ false, List.of(), 0, position, position);
        }
        return null;
    }

    private @Nullable ColumnBatch nextBatch() throws IOException {
        ColumnSource from = source;
        if (from == null) {
            return null;
        }
        skip -= from.skip(skip);
        return from.next();
    }

    /** Reads the end of the file for its checksum while the file is open, as its server may have to be asked again otherwise. */
    private void addRest() throws IOException {
        if (channel != null && file.hasSum() && format.maxRecords() == Long.MAX_VALUE) {
            rawBytes.addRest(channel);
        }
    }

    private int rowsOfBlock(ColumnBatch current) {
        long rowBytes = Math.max(1, current.bytes() / Math.max(1, current.rows()));
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, blockBytes / rowBytes));
    }

    private Block block(FileHeader known, ColumnBatch current, int count) {
        int length = (int) Math.max(1, Math.min(Integer.MAX_VALUE, current.bytes() * count / current.rows()));
        Block block = new Block(known, current, row, count, length, position);
        gaveBlock = true;
        row += count;
        position += count;
        left -= count;
        if (row == current.rows()) {
            batch = null; // the blocks hold its memory
            row = 0;
        }
        if (left == 0) {
            close();
        }
        return block;
    }

    private FileHeader open() throws IOException {
        ColumnSource columns = file.withPathColumns(format.kind() == InputFormat.Kind.PARQUET ? parquet() : arrow());
        source = columns;
        FileHeader known = new FileHeader(file, format, columns.columns(), position);
        header = known;
        restrictSource();
        return known;
    }

    private ColumnSource arrow() throws IOException {
        InputStream stream = openStream();
        ArrowReader.Mapper mapper = length -> length < MAPPED_BYTES || !InputFile.isAsStored(stream)
                ? null
                : file.map(rawBytes.taken() - rawBytesBefore, length);
        return new ArrowReader(file.name(), stream, mapper);
    }

    private ColumnSource parquet() throws IOException {
        FileChannel opened = openChannel();
        channel = opened;
        return new ParquetReader(opened, rawBytes.upTo(opened));
    }

    private OverdriveException damaged(Exception e) {
        boolean isGone = e instanceof FileSystemException;
        String message = e instanceof FileSystemException known
                ? WritableDirectory.reason(known)
                : e.getMessage() == null ? e.toString() : e.getMessage();
        return new OverdriveException(
                OverdriveException.Kind.INPUT,
                file.name() + (batchesRead == 0 ? "" : " after " + format.batchWord() + " " + batchesRead)
                        + ": cannot be read: " + message
                        + (header == null || isGone || e instanceof RefusedFileException
                                ? ""
                                : "; the file is truncated or damaged. Records before this place were read"),
                e);
    }

    @Override
    long storedBytes() {
        return rawBytes.count() - rawBytesBefore;
    }

    @Override
    public void close() {
        super.close();
        batch = null;
        source = null;
    }
}
