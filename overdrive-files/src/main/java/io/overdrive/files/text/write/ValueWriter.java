package io.overdrive.files.text.write;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.files.text.BadValueException;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.util.List;

/**
 * Converts the CQL bytes of one column's values to text, or JSON. The inverse of {@code ValueParser}: text written here
 * is parsed there, with the same format, as the same bytes. Confined to one thread, since some writers keep scratch
 * space; on the hot path, where only a double, float, decimal or varint of many digits, or a user's pattern, creates an
 * object.
 *
 * <p>Only the value is written; the caller handles nulls, and the quotes that CSV needs around some cells. After a
 * {@link BadValueException} the sink holds an unfinished value, which the caller truncates.
 *
 * <p>Some values come back with different bytes, most of them with the same meaning: a NaN other than Java's; a varint
 * with more bytes than it needs; an IPv4-mapped IPv6 address, which becomes the IPv4 address; a tuple or UDT written
 * before its type got more fields, which become null; and values of which a user's pattern leaves parts out.
 *
 * <p>An empty value is a value of text, ascii and blob. Other types allow it only for historical reasons, and all
 * drivers read it as null: it is written as null, also as an element of a collection, where loading will refuse it.
 *
 * @apiNote internal
 */
public abstract class ValueWriter {
    /** How parts of a value are written. */
    @SuppressWarnings("ImmutableEnumChecker") // the array is never changed
    enum Spelling {
        /** As in CQL: <code>{'a': 1}</code>. */
        LITERAL(", "),
        JSON(",");

        final byte[] comma;

        Spelling(String comma) {
            this.comma = TextForms.utf8(comma);
        }
    }

    private static final byte[] NULL = TextForms.utf8("null");

    /** The type as messages name it. */
    public final String type;

    ValueWriter(String type) {
        this.type = type;
    }

    /**
     * A writer of values of {@code type}, nested to any depth.
     *
     * @throws IllegalArgumentException for a custom type, which has no text form
     */
    public static ValueWriter of(DataType type, ValueFormat format) {
        ValueWriter writer = plain(type, format);
        return writer.isFraction() && format.decimalSeparator() != '.'
                ? new SeparatedNumberWriter(writer, format.decimalSeparator())
                : writer;
    }

    /** As it is inside of collections, where numbers have a point, since commas separate the elements. */
    private static ValueWriter plain(DataType type, ValueFormat format) {
        String name = type.asCql(/* includeFrozen */ false, /* pretty */ true);
        return switch (CqlType.of(type)) {
            case ASCII, TEXT -> new TextWriter(name);
            case TINYINT -> new IntegerWriter(name, Byte.BYTES);
            case SMALLINT -> new IntegerWriter(name, Short.BYTES);
            case INT -> new IntegerWriter(name, Integer.BYTES);
            case BIGINT, COUNTER -> new IntegerWriter(name, Long.BYTES);
            case VARINT -> new VarintWriter();
            case DECIMAL -> new DecimalWriter();
            case FLOAT -> new FloatWriter();
            case DOUBLE -> new DoubleWriter();
            case BOOLEAN -> new BooleanWriter(format);
            case BLOB -> new BlobWriter(format.blobEncoding());
            case UUID, TIMEUUID -> new UuidWriter(name);
            case INET -> new InetWriter();
            case DATE -> format.datePattern() == null ? new DateWriter() : PatternWriter.date(format);
            case TIME -> format.timePattern() == null ? new TimeWriter() : PatternWriter.time(format);
            case TIMESTAMP ->
                format.timestampPattern() == null ? new TimestampWriter() : PatternWriter.timestamp(format);
            case DURATION -> new DurationWriter();
            case LIST -> {
                ListType list = (ListType) type;
                yield SequenceWriter.list(name, plain(list.getElementType(), format));
            }
            case SET -> {
                SetType set = (SetType) type;
                yield SequenceWriter.set(name, plain(set.getElementType(), format));
            }
            case MAP -> {
                MapType map = (MapType) type;
                yield new MapWriter(name, plain(map.getKeyType(), format), plain(map.getValueType(), format));
            }
            case TUPLE -> {
                TupleType tuple = (TupleType) type;
                yield new TupleWriter(name, plain(tuple.getComponentTypes(), format));
            }
            case UDT -> {
                UserDefinedType udt = (UserDefinedType) type;
                yield new UdtWriter(name, udt.getFieldNames(), plain(udt.getFieldTypes(), format));
            }
            case VECTOR -> {
                VectorType vector = (VectorType) type;
                yield new VectorWriter(name, vector, plain(vector.getElementType(), format));
            }
            case CUSTOM -> throw new IllegalArgumentException("values of the type " + name + " have no text form");
        };
    }

    private static ValueWriter[] plain(List<DataType> types, ValueFormat format) {
        return types.stream().map(type -> plain(type, format)).toArray(ValueWriter[]::new);
    }

    /**
     * Writes the text of a value that is not null, as UTF-8. Text is written as it is.
     *
     * @throws BadValueException if the bytes are not a value of the type
     */
    public abstract void write(byte[] from, int offset, int length, Bytes out);

    /** Writes the value as in a CQL literal of a collection: some types in single quotes. */
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        write(from, offset, length, out);
    }

    /**
     * Writes a value that is not null as JSON, without spaces.
     *
     * @throws BadValueException if the bytes are not a value of the type
     */
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('"', from, offset, length, out);
    }

    /** Writes the value as the name of a member of a JSON object; for types that are not nested. */
    void writeName(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('"', from, offset, length, out);
    }

    /** Writes the text in quotes; for types whose text never contains one. */
    final void writeQuoted(char quote, byte[] from, int offset, int length, Bytes out) {
        out.putByte(quote);
        write(from, offset, length, out);
        out.putByte(quote);
    }

    /** Writes a value within another one, or the word null. */
    final void writePart(Spelling spelling, byte[] from, int offset, int length, Bytes out) {
        if (isNull(length)) {
            out.put(NULL);
        } else if (spelling == Spelling.JSON) {
            writeJson(from, offset, length, out);
        } else {
            writeLiteral(from, offset, length, out);
        }
    }

    /** Whether a value of this length is null: -1 is CQL's null; the comment of this class explains when 0 is. */
    public final boolean isNull(int length) {
        return length < 0 || (length == 0 && !mayBeEmpty());
    }

    /** Whether an empty value is a value. */
    boolean mayBeEmpty() {
        return false;
    }

    /** Whether a value may be any text. */
    public boolean isText() {
        return false;
    }

    /** Whether a value is written in brackets. */
    boolean isNested() {
        return false;
    }

    /** Whether a value may be written with a decimal separator. */
    boolean isFraction() {
        return false;
    }

    final void checkLength(int length, int expected) {
        if (length != expected) {
            throw badLength(length);
        }
    }

    final BadValueException badLength(int length) {
        return new BadValueException("is " + type + ", got " + length + (length == 1 ? " byte" : " bytes"));
    }

    /** The number of elements or entries, at the start of a collection. */
    final int partCount(byte[] from, int at, int end) {
        if (end - at < 4) {
            throw badLength(end - at);
        }
        return Bytes.getInt(from, at);
    }

    /** The length prefix of the part at {@code at}, which must fit into the rest; -1 for null. */
    final int partLength(byte[] from, int at, int end) {
        int length = end - at < 4 ? Integer.MAX_VALUE : Bytes.getInt(from, at);
        if (length > end - at - 4) {
            throw new BadValueException("is " + type + ", but its bytes end inside a part");
        }
        return Math.max(length, -1);
    }
}
