package io.overdrive.cli.report;

import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import io.overdrive.cli.options.Amount;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.VisibleText;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Prints the rows of a query, with values in the text forms of {@code unload}. Rows are fetched page by page while they are
 * printed; at most {@link #ALIGNED} of them are held. Confined to one thread.
 */
public final class CqlPrinter {
    /** Rows whose values decide the widths of columns; later, wider values widen them from there on. */
    private static final int ALIGNED = 1000;

    private static final Set<DataType> NUMBERS = Set.of(
            DataTypes.TINYINT,
            DataTypes.SMALLINT,
            DataTypes.INT,
            DataTypes.BIGINT,
            DataTypes.VARINT,
            DataTypes.FLOAT,
            DataTypes.DOUBLE,
            DataTypes.DECIMAL,
            DataTypes.COUNTER);

    /** How rows are shown. */
    public enum Style {
        TABLE,
        VERTICAL,
        CSV,
        JSON
    }

    private final PrintWriter out;
    private final Style style;

    public CqlPrinter(PrintWriter out, Style style) {
        this.out = out;
        this.style = style;
    }

    /** Prints all rows; returns early once the reader of the output has gone. */
    public void print(ColumnDefinitions columns, Iterable<Row> rows) {
        switch (style) {
            case TABLE -> table(columns, rows.iterator());
            case VERTICAL -> vertical(columns, rows.iterator());
            case CSV -> records(OutputFormat.Kind.CSV, columns, rows);
            case JSON -> records(OutputFormat.Kind.JSON, columns, rows);
        }
        out.flush();
    }

    private void records(OutputFormat.Kind kind, ColumnDefinitions columns, Iterable<Row> rows) {
        List<DataType> types = new ArrayList<>();
        for (ColumnDefinition column : columns) {
            types.add(column.getType());
        }
        RecordWriter writer = RecordWriter.of(
                OutputFormat.builder(kind).writeNulls(true).build(), names(columns), types, ValueFormat.DEFAULT);
        Bytes text = new Bytes(4096);
        writer.header(text);
        print(text);
        for (Row row : rows) {
            writer.begin(text);
            for (int i = 0; i < types.size(); i++) {
                ByteBuffer value = row.getBytesUnsafe(i);
                byte[] bytes = value == null ? new byte[0] : bytes(value);
                writer.cell(i, bytes, 0, value == null ? -1 : bytes.length, text);
            }
            writer.end(text);
            print(text);
            if (out.checkError()) {
                return;
            }
        }
    }

    private void print(Bytes text) {
        out.print(new String(text.array(), 0, text.length(), StandardCharsets.UTF_8));
        text.clear();
    }

    private void table(ColumnDefinitions columns, Iterator<Row> rows) {
        List<String> names = names(columns);
        int[] widths = names.stream().mapToInt(CqlPrinter::width).toArray();
        boolean[] right = new boolean[widths.length];
        for (int i = 0; i < right.length; i++) {
            right[i] = NUMBERS.contains(columns.get(i).getType());
        }
        Cells cells = new Cells(columns);
        long count = 0;
        do {
            List<String[]> chunk = new ArrayList<>();
            while (rows.hasNext() && chunk.size() < ALIGNED) {
                String[] row = cells.of(rows.next());
                for (int i = 0; i < row.length; i++) {
                    widths[i] = Math.max(widths[i], width(row[i]));
                }
                chunk.add(row);
            }
            if (count == 0) {
                line(names.toArray(String[]::new), widths, new boolean[widths.length]);
                String rule = String.join(
                        "+",
                        Arrays.stream(widths)
                                .mapToObj(width -> "-".repeat(width + 2))
                                .toList());
                out.println(rule);
            }
            chunk.forEach(row -> line(row, widths, right));
            count += chunk.size();
        } while (rows.hasNext() && !out.checkError());
        out.println("(" + Amount.count(count) + (count == 1 ? " row)" : " rows)"));
    }

    private void line(String[] cells, int[] widths, boolean[] right) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.length; i++) {
            String space = " ".repeat(widths[i] - width(cells[i]));
            line.append(i == 0 ? " " : " | ");
            line.append(right[i] ? space + cells[i] : cells[i] + space);
        }
        out.println(line.toString().stripTrailing());
    }

    private void vertical(ColumnDefinitions columns, Iterator<Row> rows) {
        List<String> names = names(columns);
        int width = names.stream().mapToInt(CqlPrinter::width).max().orElse(0);
        Cells cells = new Cells(columns);
        long count = 0;
        while (rows.hasNext() && !out.checkError()) {
            String[] row = cells.of(rows.next());
            count++;
            out.println("row " + count);
            for (int i = 0; i < row.length; i++) {
                out.println("  " + names.get(i) + " ".repeat(width - width(names.get(i))) + " | " + row[i]);
            }
        }
        out.println("(" + Amount.count(count) + (count == 1 ? " row)" : " rows)"));
    }

    private static List<String> names(ColumnDefinitions columns) {
        List<String> names = new ArrayList<>();
        columns.forEach(column -> names.add(column.getName().asInternal()));
        return names;
    }

    private static byte[] bytes(ByteBuffer value) {
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        return bytes;
    }

    /** Formats each cell as text on one line. */
    private static final class Cells {
        private final ValueText[] writers;
        private final Bytes text = new Bytes(256);

        Cells(ColumnDefinitions columns) {
            writers = new ValueText[columns.size()];
            for (int i = 0; i < writers.length; i++) {
                writers[i] = ValueText.of(columns.get(i).getType(), ValueFormat.DEFAULT);
            }
        }

        String[] of(Row row) {
            String[] cells = new String[writers.length];
            for (int i = 0; i < cells.length; i++) {
                ByteBuffer value = row.getBytesUnsafe(i);
                cells[i] = value == null ? "null" : cell(writers[i], value);
            }
            return cells;
        }

        private String cell(ValueText writer, ByteBuffer value) {
            byte[] bytes = bytes(value);
            if (writer.isNull(bytes.length)) {
                return "null"; // as drivers do
            }
            text.clear();
            try {
                writer.write(bytes, 0, bytes.length, text);
            } catch (BadValueException e) {
                return TypeCodecs.BLOB.format(value);
            }
            return VisibleText.oneLine(new String(text.array(), 0, text.length(), StandardCharsets.UTF_8));
        }
    }

    /** Columns of a terminal: none for marks on the character before, two for East Asian characters and emoji. */
    static int width(String text) {
        return text.codePoints().map(CqlPrinter::width).sum();
    }

    private static int width(int c) {
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT) {
            return 0;
        }
        boolean wide = (c >= 0x1100 && c <= 0x115F)
                || (c >= 0x2E80 && c <= 0xA4CF)
                || (c >= 0xAC00 && c <= 0xD7A3)
                || (c >= 0xF900 && c <= 0xFAFF)
                || (c >= 0xFE30 && c <= 0xFE6F)
                || (c >= 0xFF00 && c <= 0xFF60)
                || (c >= 0xFFE0 && c <= 0xFFE6)
                || (c >= 0x1F300 && c <= 0x1FAFF)
                || (c >= 0x20000 && c <= 0x3FFFD);
        return wide ? 2 : 1;
    }
}
