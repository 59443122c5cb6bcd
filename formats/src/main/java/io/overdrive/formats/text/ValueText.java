package io.overdrive.formats.text;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text form of one column's values, and their JSON: parses them to CQL bytes, and writes CQL bytes as text. Text that
 * is written here is parsed, with the same format, as the same bytes. A class for each type, so that messages can name it.
 * Confined to one thread, since some types keep scratch space; on the hot path, where only a decimal or varint of many
 * digits, the text of a double or float, or a user's pattern, creates an object.
 *
 * <p>Only the value is parsed or written: no length prefix of the bytes, and no null, for which the caller has its words.
 * The caller adds the quotes that CSV needs around some cells, too. After a {@link BadValueException} the sink holds an
 * unfinished value, which the caller truncates.
 *
 * <p>Some values come back with different bytes, most of them with the same meaning: a NaN other than Java's; a varint with
 * more bytes than it needs; an IPv4-mapped IPv6 address, which becomes the IPv4 address; a tuple or UDT written before its
 * type got more fields, which become null; and values of which a user's pattern leaves parts out.
 *
 * <p>An empty value is a value of text, ascii and blob. Other types allow it only for historical reasons, and all drivers
 * read it as null: it is written as null, also as an element of a collection, where loading will refuse it ({@link #emptyElements}).
 *
 * @apiNote internal
 */
public abstract class ValueText implements CellCounts {
    /** Is called for values that their type does not keep in full. */
    @FunctionalInterface
    public interface LossListener {
        /**
         * @param text the value in the input, truncated to a readable length
         * @param kept the text of the value as the type keeps it
         * @throws BadValueException to refuse the value
         */
        void lost(String text, String kept);
    }

    /** How parts of a value are written. */
    @SuppressWarnings("ImmutableEnumChecker") // the array is never changed
    enum Spelling {
        /** CQL syntax: <code>{'a': 1}</code>. */
        LITERAL(", "),
        JSON(",");

        final byte[] comma;

        Spelling(String comma) {
            this.comma = TextForms.utf8(comma);
        }
    }

    private static final byte[] NULL = TextForms.utf8("null");
    /** A bit for each white-space character: space, tab, line feed, vertical tab, form feed, carriage return. */
    private static final long SPACES = 1L << ' ' | 1L << '\t' | 1L << '\n' | 1L << 0x0B | 1L << '\f' | 1L << '\r';

    /** The type as messages name it. */
    public final String type;

    /** The values that one consists of; none if it is not nested. */
    private final ValueText[] parts;

    /** Whether the parts are fields, which may be null, and not elements. */
    private final boolean hasFields;
    /** Counts values that were empty, and are written as null within others. */
    private long emptyParts;

    ValueText(String type) {
        this(type, /* hasFields */ false);
    }

    ValueText(String type, boolean hasFields, ValueText... parts) {
        this.type = type;
        this.hasFields = hasFields;
        this.parts = parts;
    }

    /**
     * The text of values of {@code type}, nested to any depth; of a custom type their bytes, which only the server understands.
     */
    public static ValueText of(DataType type, ValueFormat format) {
        return separated(plain(type, format, /* losses */ null), format);
    }

    /**
     * As {@link #of}, and reports values that the type does not keep in full, also inside of collections: numbers with a plus sign or
     * leading zeros, or with more digits than a double or float has; dates and timestamps without a leading zero of their parts;
     * timestamps finer than milliseconds, with an offset other than 0, or written as numbers; and words for a boolean of fewer than four
     * characters, which more often mean something else.
     */
    public static ValueText checked(DataType type, ValueFormat format, LossListener losses) {
        return separated(plain(type, format, losses), format);
    }

    private static ValueText separated(ValueText text, ValueFormat format) {
        return text.isNumber() && !format.plainNumbers() ? new SeparatedNumberText(text, format) : text;
    }

    /** The text of a value inside collections, where numbers have no separators, since commas separate the elements. */
    private static ValueText plain(DataType type, ValueFormat format, @Nullable LossListener losses) {
        ValueText text = unchecked(type, format, losses);
        return losses == null || text.isNested() || text.isText() ? text : new CheckedText(text, losses);
    }

    private static ValueText unchecked(DataType type, ValueFormat format, @Nullable LossListener losses) {
        String name = type.asCql(/* includeFrozen */ false, /* pretty */ true);
        return switch (CqlType.of(type)) {
            case ASCII -> new StringText(name, StringText.Charset.ASCII, format.jsonText());
            case TEXT -> new StringText(name, StringText.Charset.UTF8, format.jsonText());
            case TINYINT -> IntegerText.tinyint();
            case SMALLINT -> IntegerText.smallint();
            case INT -> IntegerText.int32();
            case BIGINT, COUNTER -> IntegerText.int64(name);
            case VARINT -> new VarintText();
            case DECIMAL -> new DecimalText();
            case FLOAT -> new FloatText();
            case DOUBLE -> new DoubleText();
            case BOOLEAN -> new BooleanText(format);
            case BLOB -> new BlobText(format.blobEncoding());
            case UUID -> new UuidText(name, UuidText.Versions.ANY);
            case TIMEUUID -> new UuidText(name, UuidText.Versions.TIME);
            case INET -> new InetText();
            case DATE -> format.datePattern() == null ? new DateText() : PatternText.date(format);
            case TIME -> format.timePattern() == null ? new TimeText() : PatternText.time(format);
            case TIMESTAMP ->
                format.timestampPattern() == null ? new TimestampText(format) : PatternText.timestamp(format);
            case DURATION -> new DurationText();
            case LIST -> {
                ListType list = (ListType) type;
                yield SequenceText.list(name, plain(list.getElementType(), format, losses));
            }
            case SET -> {
                SetType set = (SetType) type;
                yield SequenceText.set(name, plain(set.getElementType(), format, losses));
            }
            case MAP -> {
                MapType map = (MapType) type;
                yield new MapText(
                        name, plain(map.getKeyType(), format, losses), plain(map.getValueType(), format, losses));
            }
            case TUPLE -> {
                TupleType tuple = (TupleType) type;
                yield new TupleText(name, plain(tuple.getComponentTypes(), format, losses));
            }
            case UDT -> {
                UserDefinedType udt = (UserDefinedType) type;
                yield new UdtText(name, udt.getFieldNames(), plain(udt.getFieldTypes(), format, losses), format);
            }
            case VECTOR -> {
                VectorType vector = (VectorType) type;
                yield new VectorText(name, vector, plain(vector.getElementType(), format, losses));
            }
            case CUSTOM -> BlobText.custom(name);
        };
    }

    private static ValueText[] plain(List<DataType> types, ValueFormat format, @Nullable LossListener losses) {
        return types.stream().map(type -> plain(type, format, losses)).toArray(ValueText[]::new);
    }

    /**
     * Parses text, and writes the value's bytes. Spaces around it are skipped, except for text types.
     *
     * @throws BadValueException if the text is not a value of the type
     */
    public abstract void parse(char[] chars, int from, int to, Bytes out);

    /**
     * Parses the value at {@code json}, which is not null, and leaves {@code json} on the value's last token. Scalars
     * may be strings as well as numbers and booleans.
     *
     * @throws BadValueException if it is not a value of the type; {@code json} is then anywhere within it
     */
    public void parse(JsonParser json, Bytes out) throws IOException {
        JsonToken token = json.currentToken();
        if (!token.isScalarValue() || token == JsonToken.VALUE_NULL) {
            throw gotToken(token);
        }
        parseToken(json, out);
    }

    /** Parses the current token's text. */
    final void parseToken(JsonParser json, Bytes out) throws IOException {
        // in this order: a string is only read to its end when its characters are requested
        char[] chars = json.getTextCharacters();
        int from = json.getTextOffset();
        parse(chars, from, from + json.getTextLength(), out);
    }

    /**
     * Whether a value has all of the text that was parsed last, but for spaces, the case of letters and zeros at the end of a
     * fraction.
     *
     * @param chars that text
     * @param value the bytes that it became
     */
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        return true;
    }

    /** Nanoseconds that the timestamp which was parsed last had below its millisecond, and that are cut off. */
    int nanosBelowMillis() {
        return 0;
    }

    /**
     * Suggests options of a load by which a refused value would be accepted, or says how values are written, as the end of the
     * message, starting with a semicolon; empty if neither helps. Off the hot path.
     */
    public MessageText hint(String value) {
        return MessageText.EMPTY;
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
            countIfEmpty(length);
            out.put(NULL);
        } else if (spelling == Spelling.JSON) {
            writeJson(from, offset, length, out);
        } else {
            writeLiteral(from, offset, length, out);
        }
    }

    /** Counts a part that is written as null, unless it is null. */
    final void countIfEmpty(int length) {
        emptyParts += length == 0 ? 1 : 0;
    }

    @Override
    public final long emptyElements() {
        long sum = 0;
        for (ValueText part : parts) {
            sum += part.emptyElements() + (hasFields ? 0 : part.emptyParts);
        }
        return sum;
    }

    @Override
    public final long emptyParts() {
        long sum = 0;
        for (ValueText part : parts) {
            sum += part.emptyParts() + part.emptyParts;
        }
        return sum;
    }

    @Override
    public long repeatedTimes() {
        long sum = 0;
        for (ValueText part : parts) {
            sum += part.repeatedTimes();
        }
        return sum;
    }

    /**
     * Writes a value in a list of values that are separated by commas, or the word null: text is in single quotes, as in CQL, if it could be
     * taken for something else.
     */
    public final void writeInList(byte[] from, int offset, int length, Bytes out) {
        if (isNull(length)) {
            out.put(NULL);
        } else if (isText() && isAmbiguous(new String(from, offset, length, StandardCharsets.UTF_8))) {
            writeLiteral(from, offset, length, out);
        } else {
            write(from, offset, length, out);
        }
    }

    private static boolean isAmbiguous(String text) {
        return text.isEmpty()
                || text.equals("null")
                || text.indexOf(',') >= 0
                || text.indexOf('\'') >= 0
                || !text.equals(text.strip());
    }

    /** Whether a value of this length is null: -1 is CQL's null; the comment of this class explains when 0 is. */
    public final boolean isNull(int length) {
        return length < 0 || (length == 0 && !mayBeEmpty());
    }

    /** Whether an empty value is a value. */
    boolean mayBeEmpty() {
        return false;
    }

    /** Whether a value is written in brackets. */
    @Override
    public boolean isNested() {
        return false;
    }

    /** Whether a value may be any text. */
    public boolean isText() {
        return false;
    }

    /** Whether a value is a number, which may have separators. */
    boolean isNumber() {
        return false;
    }

    /** Whether a value is a number that may have a decimal separator. */
    boolean isFraction() {
        return false;
    }

    final BadValueException got(char[] chars, int from, int to) {
        return BadValueException.got(type, chars, from, to);
    }

    final BadValueException outOfRange(char[] chars, int from, int to, String min, String max) {
        return BadValueException.but(type, chars, from, to, "is out of range (" + min + " to " + max + ")");
    }

    final BadValueException gotToken(JsonToken token) {
        return new BadValueException("is " + type + ", got "
                + switch (token) {
                    case START_OBJECT -> "a JSON object";
                    case START_ARRAY -> "a JSON array";
                    case VALUE_STRING -> "a JSON string";
                    case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a JSON number";
                    case VALUE_TRUE, VALUE_FALSE -> "a JSON boolean";
                    case VALUE_NULL -> "null";
                    default -> token.toString();
                });
    }

    /** Whether the character may surround a value: white space, but not other control characters. */
    static boolean isSpace(char c) {
        return c <= ' ' && (SPACES >>> c & 1) != 0;
    }

    /** Whether the character is white space or a space of another width, such as a no-break space. */
    public static boolean isAnySpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    /** The number of points in a text of digits, which may begin with a sign; -1 if it has other characters. */
    public static int points(char[] chars, int from, int to) {
        int points = 0;
        for (int i = from; i < to; i++) {
            if (chars[i] == '.') {
                points++;
            } else if ((chars[i] < '0' || chars[i] > '9') && (i > from || (chars[i] != '-' && chars[i] != '+'))) {
                return -1;
            }
        }
        return points;
    }

    /** The first index that is not a space. */
    static int skipSpaces(char[] chars, int from, int to) {
        int i = from;
        while (i < to && isSpace(chars[i])) {
            i++;
        }
        return i;
    }

    /** The end of the text without trailing spaces. */
    static int trimEnd(char[] chars, int from, int to) {
        int i = to;
        while (i > from && isSpace(chars[i - 1])) {
            i--;
        }
        return i;
    }

    /** Whether the text equals {@code word}, given in lower case, ignoring case. */
    static boolean isWord(char[] chars, int from, int to, String word) {
        int length = to - from;
        if (length != word.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (Character.toLowerCase(chars[from + i]) != word.charAt(i)) {
                return false;
            }
        }
        return true;
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
