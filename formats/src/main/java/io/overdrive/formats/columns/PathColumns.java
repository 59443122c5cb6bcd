package io.overdrive.formats.columns;

import io.overdrive.formats.columns.ColumnType.Dictionary;
import io.overdrive.formats.columns.ColumnType.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A columnar file with the columns that the names of its directories have, as Hive writes them: {@code year=2020/month=3}. Their values are
 * texts. Used by one thread at a time.
 */
public final class PathColumns implements ColumnSource {
    private static final String MISSING = "__HIVE_DEFAULT_PARTITION__";
    /** Characters that Hive does not write into names, besides control characters. */
    private static final String ESCAPED = "\"#%'*/:=?\\{[]^\u007F";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final ColumnType INDEX = ColumnType.of("", Kind.SIGNED, Byte.SIZE);

    private final ColumnSource file;
    private final List<ColumnType> types;
    /** Values of the directories, null for a missing one. */
    private final List<@Nullable String> values = new ArrayList<>();

    private PathColumns(ColumnSource file, Map<String, @Nullable String> fields) {
        this.file = file;
        List<ColumnType> all = new ArrayList<>(file.columns());
        fields.forEach((name, value) -> {
            all.add(ColumnType.of(name, Kind.TEXT, Integer.SIZE).withDictionary(new Dictionary(-1, INDEX)));
            values.add(value);
        });
        types = List.copyOf(all);
    }

    /** The end of a path with all directories that have columns and follow each other up to the file. */
    public static Path directlyAbove(Path path) {
        int from = path.getNameCount() - 1;
        while (from > 0 && path.getName(from - 1).toString().indexOf('=') > 0) {
            from--;
        }
        return from < 0 ? path : path.subpath(from, path.getNameCount());
    }

    /**
     * The file with the columns of its path that it does not have itself.
     *
     * @param path from where directories may have columns
     */
    public static ColumnSource of(ColumnSource file, Path path) {
        Map<String, @Nullable String> fields = fields(path);
        file.columns().forEach(column -> fields.remove(column.name()));
        return fields.isEmpty() ? file : new PathColumns(file, fields);
    }

    private static Map<String, @Nullable String> fields(Path path) {
        Map<String, @Nullable String> fields = new LinkedHashMap<>();
        Path directories = path.getParent();
        if (directories != null) {
            for (Path each : directories) {
                String directory = each.toString();
                int equals = directory.indexOf('=');
                if (equals > 0) {
                    String value = directory.substring(equals + 1);
                    fields.put(
                            unescaped(directory.substring(0, equals)), value.equals(MISSING) ? null : unescaped(value));
                }
            }
        }
        return fields;
    }

    private static String unescaped(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            boolean isEscaped = bytes[i] == '%'
                    && i + 2 < bytes.length
                    && HexFormat.isHexDigit(bytes[i + 1])
                    && HexFormat.isHexDigit(bytes[i + 2]);
            out.write(
                    isEscaped
                            ? HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2])
                            : bytes[i]);
            i += isEscaped ? 2 : 0;
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The directory for a value of a column; null for a missing one. */
    public static String directory(String name, @Nullable String value) {
        if (value == null) {
            return escaped(name) + '=' + MISSING;
        }
        // a text of this word is not a missing value
        return escaped(name) + '=' + (value.equals(MISSING) ? value.replace("_", "%5F") : escaped(value));
    }

    private static String escaped(String text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || ESCAPED.indexOf(c) >= 0) {
                out.append('%').append(HEX.toHexDigits((byte) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    @Override
    public List<ColumnType> columns() {
        return types;
    }

    @Override
    public void restrict(BitSet wanted) {
        file.restrict(wanted);
    }

    @Override
    public long skip(long rows) throws IOException {
        return file.skip(rows);
    }

    @Override
    public @Nullable ColumnBatch next() throws IOException {
        ColumnBatch batch = file.next();
        return batch == null ? null : new ColumnBatch(batch.number(), batch.rows(), batch.bytes(), () -> all(batch));
    }

    private List<Column> all(ColumnBatch batch) {
        List<Column> all = new ArrayList<>(batch.columns());
        for (String value : values) {
            all.add(column(types.get(all.size()), value, batch.rows()));
        }
        return all;
    }

    private static Column column(ColumnType type, @Nullable String value, int rows) {
        if (value == null) {
            return Column.of(ColumnType.of(type.name(), Kind.NULL, 0), rows, null, Column.none(), Column.none());
        }
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        ByteBuffer offsets = ByteBuffer.allocate(2 * Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(Integer.BYTES, text.length);
        Column one = Column.of(type.withDictionary(null), 1, null, offsets, ByteBuffer.wrap(text));
        ByteBuffer indices = ByteBuffer.allocate(rows);
        return new Column(type, rows, null, Column.none(), indices, List.of(), List.of(), one);
    }
}
