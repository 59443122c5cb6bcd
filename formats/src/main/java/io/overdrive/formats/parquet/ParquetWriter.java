package io.overdrive.formats.parquet;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.formats.columns.BatchWriter;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.TypeCql;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DateType;
import org.apache.parquet.format.DecimalType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.IntType;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.ListType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MapType;
import org.apache.parquet.format.MilliSeconds;
import org.apache.parquet.format.NanoSeconds;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.UUIDType;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches of columns as row groups of Parquet. Batches become pages, which are kept until their row group is large enough.
 * Confined to one thread, except for {@link #end}; on the hot path.
 *
 * <p>A row group can be written without knowing its place in the file: its metadata, with places from its beginning on, come before it. They are found again when the footer is written. Readers do not see them, as no place in the footer leads to them.
 */
public final class ParquetWriter implements BatchWriter {
    /** How pages are compressed. */
    public enum Packing {
        NONE(CompressionCodec.UNCOMPRESSED),
        ZSTD(CompressionCodec.ZSTD),
        SNAPPY(CompressionCodec.SNAPPY),
        GZIP(CompressionCodec.GZIP),
        LZ4(CompressionCodec.LZ4_RAW);

        private final CompressionCodec codec;

        Packing(CompressionCodec codec) {
            this.codec = codec;
        }
    }

    private static final int VERSION = 2;
    private static final int MAX_GROUP_ROWS = 1 << 20;
    private static final long MAX_GROUP_BYTES = 128 << 20;
    /** The lengths of the metadata and of the row group. */
    private static final int PREFIX_BYTES = Integer.BYTES + Long.BYTES;

    private static final int MAX_METADATA_BYTES = 256 << 20;

    private final List<SchemaElement> schema = new ArrayList<>();
    private final List<KeyValue> cqlTypes = new ArrayList<>();
    private final List<Shredder> columns = new ArrayList<>();
    private final List<ChunkWriter> chunks = new ArrayList<>();
    private final CompressionCodec codec;
    private long rows;

    /** @param cql the CQL types of the columns */
    public ParquetWriter(List<ColumnType> types, List<DataType> cql, Packing packing) {
        codec = packing.codec;
        schema.add(new SchemaElement("schema").setNum_children(types.size()));
        for (int i = 0; i < types.size(); i++) {
            ColumnType type = types.get(i);
            columns.add(shredder(type, type.name(), List.of(), 0, 0));
            DataType counted = cql.get(i).equals(DataTypes.COUNTER) ? DataTypes.BIGINT : cql.get(i);
            String noted = type.metadata().get(ColumnType.CQL_TYPE);
            cqlTypes.add(new KeyValue(ColumnType.CQL_TYPE + "." + type.name())
                    .setValue(noted == null ? TypeCql.of(counted) : noted));
            String userTypes = type.metadata().get(ColumnType.CQL_UDTS);
            if (userTypes != null) {
                cqlTypes.add(new KeyValue(ColumnType.CQL_UDTS + "." + type.name()).setValue(userTypes));
            }
        }
    }

    private Shredder shredder(ColumnType type, String name, List<String> around, int definition, int repetition) {
        List<String> names = append(around, name);
        int here = definition + (type.nullable() ? 1 : 0);
        SchemaElement element = new SchemaElement(name)
                .setRepetition_type(type.nullable() ? FieldRepetitionType.OPTIONAL : FieldRepetitionType.REQUIRED);
        schema.add(element);
        return switch (type.kind()) {
            case STRUCT -> struct(type, names, element, definition, repetition);
            case LIST, FIXED_LIST -> {
                element.setNum_children(1)
                        .setConverted_type(ConvertedType.LIST)
                        .setLogicalType(LogicalType.LIST(new ListType()));
                schema.add(repeated("list", 1));
                Shredder each =
                        shredder(type.children().get(0), "element", append(names, "list"), here + 1, repetition + 1);
                yield new Shredder.Elements(definition, type.nullable(), repetition + 1, each);
            }
            case MAP -> {
                element.setNum_children(1)
                        .setConverted_type(ConvertedType.MAP)
                        .setLogicalType(LogicalType.MAP(new MapType()));
                schema.add(repeated("key_value", 2));
                List<ColumnType> entry = type.children().get(0).children();
                List<String> inside = append(names, "key_value");
                List<Shredder> pair = List.of(
                        shredder(entry.get(0), "key", inside, here + 1, repetition + 1),
                        shredder(entry.get(1), "value", inside, here + 1, repetition + 1));
                Shredder each = new Shredder.Struct(here + 1, /* isNullable */ false, pair);
                yield new Shredder.Elements(definition, type.nullable(), repetition + 1, each);
            }
            default -> {
                describe(type, element);
                Leaf leaf = new Leaf(names, LeafValues.stored(type), element.getType_length(), here, repetition);
                ChunkWriter chunk = new ChunkWriter(leaf, LeafValues.of(type), codec);
                chunks.add(chunk);
                yield new Shredder.Single(definition, type.nullable(), chunk);
            }
        };
    }

    private static List<String> append(List<String> names, String name) {
        List<String> all = new ArrayList<>(names);
        all.add(name);
        return List.copyOf(all);
    }

    private static SchemaElement repeated(String name, int children) {
        return new SchemaElement(name)
                .setRepetition_type(FieldRepetitionType.REPEATED)
                .setNum_children(children);
    }

    private Shredder struct(
            ColumnType type, List<String> names, SchemaElement element, int definition, int repetition) {
        element.setNum_children(type.children().size());
        List<Shredder> fields = new ArrayList<>();
        for (ColumnType field : type.children()) {
            fields.add(shredder(field, field.name(), names, definition + (type.nullable() ? 1 : 0), repetition));
        }
        return new Shredder.Struct(definition, type.nullable(), fields);
    }

    /** Sets the types of a column of the file: the stored one, and the ones that say what it stands for, in the new and in the old form. */
    private static void describe(ColumnType type, SchemaElement element) {
        Type stored = LeafValues.stored(type);
        element.setType(stored);
        switch (type.kind()) {
            case SIGNED -> {
                if (type.width() < 32) {
                    element.setConverted_type(type.width() == 8 ? ConvertedType.INT_8 : ConvertedType.INT_16)
                            .setLogicalType(LogicalType.INTEGER(new IntType((byte) type.width(), true)));
                }
            }
            case DATE_DAYS ->
                element.setConverted_type(ConvertedType.DATE).setLogicalType(LogicalType.DATE(new DateType()));
            case TIME ->
                element.setLogicalType(
                        LogicalType.TIME(new TimeType(/* isAdjustedToUTC */ false, TimeUnit.NANOS(new NanoSeconds()))));
            case TIMESTAMP ->
                element.setConverted_type(ConvertedType.TIMESTAMP_MILLIS)
                        .setLogicalType(LogicalType.TIMESTAMP(
                                new TimestampType(/* isAdjustedToUTC */ true, TimeUnit.MILLIS(new MilliSeconds()))));
            case TEXT, MONTHS_DAYS_NANOS ->
                element.setConverted_type(ConvertedType.UTF8).setLogicalType(LogicalType.STRING(new StringType()));
            case FIXED_BINARY -> element.setType_length(type.width()).setLogicalType(LogicalType.UUID(new UUIDType()));
            case DECIMAL -> {
                element.setConverted_type(ConvertedType.DECIMAL)
                        .setPrecision(type.precision())
                        .setScale(type.scale())
                        .setLogicalType(LogicalType.DECIMAL(new DecimalType(type.scale(), type.precision())));
                if (stored == Type.FIXED_LEN_BYTE_ARRAY) {
                    element.setType_length(type.width() / Byte.SIZE);
                }
            }
            default -> {}
        }
    }

    @Override
    public void head(Bytes out) {
        out.put(ParquetReader.MAGIC);
    }

    @Override
    public void batch(List<Column> batch, int count, int maxKeptBytes, Bytes out) {
        for (int i = 0; i < batch.size(); i++) {
            columns.get(i).addAll(batch.get(i));
        }
        rows += count;
        long kept = 0;
        long unpacked = 0;
        for (ChunkWriter chunk : chunks) {
            chunk.endPage();
            kept += chunk.keptBytes();
            unpacked += chunk.unpackedBytes();
        }
        if (kept >= maxKeptBytes || unpacked >= MAX_GROUP_BYTES || rows >= MAX_GROUP_ROWS) {
            complete(out);
        }
    }

    @Override
    public void complete(Bytes out) {
        if (rows == 0) {
            return;
        }
        Bytes group = new Bytes(1 << 16);
        List<ColumnChunk> written = new ArrayList<>();
        long unpacked = 0;
        for (ChunkWriter chunk : chunks) {
            ColumnChunk complete = chunk.complete(group);
            unpacked += complete.getMeta_data().getTotal_uncompressed_size();
            written.add(complete);
        }
        RowGroup about = new RowGroup(written, unpacked, rows).setTotal_compressed_size(group.length());
        rows = 0;
        byte[] metadata = Metadata.bytes(new FileMetaData(VERSION, List.of(), about.getNum_rows(), List.of(about)));
        out.putInt(metadata.length);
        out.putLong(group.length());
        out.put(metadata);
        out.put(group.array(), 0, group.length());
    }

    @Override
    public void end(@Nullable FileChannel file, long length, Bytes out) throws IOException {
        List<RowGroup> groups = file == null ? List.of() : groups(file, length);
        long all = groups.stream().mapToLong(RowGroup::getNum_rows).sum();
        ColumnOrder order = ColumnOrder.TYPE_ORDER(new TypeDefinedOrder());
        FileMetaData about = new FileMetaData(VERSION, schema, all, groups)
                .setKey_value_metadata(cqlTypes)
                .setCreated_by("overdrive version 0.1.0 (build 0)")
                .setColumn_orders(chunks.stream().map(chunk -> order).toList());
        byte[] footer = Metadata.bytes(about);
        out.put(footer);
        out.putInt(Integer.reverseBytes(footer.length));
        out.put(ParquetReader.MAGIC);
    }

    /** The row groups of a file, with their places in it. */
    private static List<RowGroup> groups(FileChannel file, long end) throws IOException {
        List<RowGroup> groups = new ArrayList<>();
        long at = ParquetReader.MAGIC.length;
        while (at < end) {
            ByteBuffer prefix = ByteBuffer.wrap(ParquetReader.read(file, at, PREFIX_BYTES));
            int metadata = prefix.getInt();
            long length = prefix.getLong();
            if (metadata <= 0 || metadata > MAX_METADATA_BYTES || length < 0 || length > end - at) {
                throw new IOException(
                        "no row group begins at byte " + at + ": the file was changed while it was written");
            }
            byte[] about = ParquetReader.read(file, at + PREFIX_BYTES, metadata);
            at += PREFIX_BYTES + metadata;
            RowGroup group = Metadata.ofFile(about).getRow_groups().get(0);
            move(group, at);
            groups.add(group);
            at += length;
        }
        return groups;
    }

    private static void move(RowGroup group, long start) {
        group.setFile_offset(start);
        for (ColumnChunk chunk : group.getColumns()) {
            ColumnMetaData about = chunk.getMeta_data();
            if (about.isSetDictionary_page_offset()) {
                about.setDictionary_page_offset(about.getDictionary_page_offset() + start);
            }
            about.setData_page_offset(about.getData_page_offset() + start);
        }
    }
}
