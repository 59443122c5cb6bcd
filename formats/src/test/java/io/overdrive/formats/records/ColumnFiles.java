package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.formats.columns.CellReader;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Rows of cells into columnar files and back. */
final class ColumnFiles {
    private ColumnFiles() {}

    /** Writes rows of cells in one batch; null is a missing value. */
    static void write(
            Path file, OutputFormat format, List<String> names, List<DataType> types, List<byte @Nullable []> cells)
            throws IOException {
        write(file, format, names, types, cells, Integer.MAX_VALUE);
    }

    static void write(
            Path file,
            OutputFormat format,
            List<String> names,
            List<DataType> types,
            List<byte @Nullable []> cells,
            int cellsOfBatch)
            throws IOException {
        RecordWriter writer = RecordWriter.of(format, names, types, ValueFormat.DEFAULT);
        write(file, writer, format.batches().isStream(), types.size(), cells, cellsOfBatch);
    }

    static void write(
            Path file,
            RecordWriter writer,
            boolean isStream,
            int columns,
            List<byte @Nullable []> cells,
            int cellsOfBatch)
            throws IOException {
        Bytes out = new Bytes(64);
        writer.header(out);
        for (int i = 0; i < cells.size(); i += columns) {
            writer.begin(out);
            for (int c = 0; c < columns; c++) {
                byte[] cell = cells.get(i + c);
                writer.cell(c, cell == null ? new byte[0] : cell, 0, cell == null ? -1 : cell.length, out);
            }
            writer.end(out);
            if ((i + columns) % cellsOfBatch == 0) {
                writer.complete(out);
            }
        }
        writer.complete(out);
        Files.write(file, out.toByteArray());
        Bytes end = new Bytes(64);
        try (FileChannel channel = FileChannel.open(file)) {
            writer.footer(isStream ? null : channel, channel.size(), end);
        }
        Files.write(file, end.toByteArray(), StandardOpenOption.APPEND);
    }

    /** Reads the rows as values of the types. */
    static List<byte @Nullable []> read(Path file, List<DataType> types) {
        return read(List.of(file), types);
    }

    static List<byte @Nullable []> read(List<Path> files, List<DataType> types) {
        Rows rows = new Rows(types);
        RecordParser parser = new RecordParser();
        try (InputReader reader = Read.reader(
                files.stream().map(InputFile::of).toList(),
                InputFormat.builder().build(),
                256)) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                parser.parse(block, rows);
            }
        }
        return rows.cells;
    }

    /** Keeps the values. */
    private static final class Rows extends IgnoringHandler {
        final List<byte @Nullable []> cells = new ArrayList<>();
        private final List<DataType> types;
        private @Nullable List<CellReader> readers;

        Rows(List<DataType> types) {
            this.types = types;
        }

        @Override
        public void begin(Block block, long line, long position) {
            if (readers == null) {
                readers = new ArrayList<>();
                for (ColumnType from : block.header().columns()) {
                    DataType to = types.get(readers.size());
                    readers.add(CellReader.of(from, to, ValueText.of(to, ValueFormat.DEFAULT), ValueFormat.DEFAULT));
                }
            }
        }

        @Override
        public void field(int index, Column column, int row) {
            if (column.isNull(row)) {
                cells.add(null);
                return;
            }
            Bytes out = new Bytes(16);
            Objects.requireNonNull(readers).get(index).read(column, row, out);
            cells.add(out.toByteArray());
        }
    }

    static void assertSame(List<byte @Nullable []> actual, List<byte @Nullable []> expected) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(actual.get(i)).as("cell " + i).isEqualTo(expected.get(i));
        }
    }
}
