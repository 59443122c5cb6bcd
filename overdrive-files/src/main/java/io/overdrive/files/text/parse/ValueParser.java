package io.overdrive.files.text.parse;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.files.text.BadValueException;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.io.IOException;
import java.util.List;

/**
 * Converts the text of one column's values, or JSON, to CQL bytes. Confined to one thread, since some parsers keep
 * scratch space; on the hot path.
 *
 * <p>Only the value's bytes are written, without a length prefix. The caller handles the null words of a file. After a
 * {@link BadValueException} the sink holds an unfinished value, which the caller truncates.
 *
 * @apiNote internal
 */
public abstract class ValueParser {
    /** A bit for each white-space character: space, tab, line feed, vertical tab, form feed, carriage return. */
    private static final long SPACES = 1L << ' ' | 1L << '\t' | 1L << '\n' | 1L << 0x0B | 1L << '\f' | 1L << '\r';

    /** The type as messages name it. */
    final String type;

    ValueParser(String type) {
        this.type = type;
    }

    /**
     * A parser of values of {@code type}, nested to any depth.
     *
     * @throws IllegalArgumentException for a custom type, which has no text form
     */
    public static ValueParser of(DataType type, ValueFormat format) {
        ValueParser parser = plain(type, format);
        return parser.isNumber() && !format.plainNumbers() ? new SeparatedNumberParser(parser, format) : parser;
    }

    /** As it is inside of collections, where numbers have no separators, since commas separate the elements. */
    private static ValueParser plain(DataType type, ValueFormat format) {
        String name = type.asCql(/* includeFrozen */ false, /* pretty */ true);
        return switch (CqlType.of(type)) {
            case ASCII -> new TextParser(name, TextParser.Charset.ASCII);
            case TEXT -> new TextParser(name, TextParser.Charset.UTF8);
            case TINYINT -> IntegerParser.tinyint();
            case SMALLINT -> IntegerParser.smallint();
            case INT -> IntegerParser.int32();
            case BIGINT, COUNTER -> IntegerParser.int64(name);
            case VARINT -> new VarintParser();
            case DECIMAL -> new DecimalParser();
            case FLOAT -> new FloatParser();
            case DOUBLE -> new DoubleParser();
            case BOOLEAN -> new BooleanParser(format);
            case BLOB -> new BlobParser(format.blobEncoding());
            case UUID -> new UuidParser(name, UuidParser.Versions.ANY);
            case TIMEUUID -> new UuidParser(name, UuidParser.Versions.TIME);
            case INET -> new InetParser();
            case DATE -> format.datePattern() == null ? new DateParser() : PatternParser.date(format);
            case TIME -> format.timePattern() == null ? new TimeParser() : PatternParser.time(format);
            case TIMESTAMP ->
                format.timestampPattern() == null ? new TimestampParser(format) : PatternParser.timestamp(format);
            case DURATION -> new DurationParser();
            case LIST -> {
                ListType list = (ListType) type;
                yield SequenceParser.list(name, plain(list.getElementType(), format));
            }
            case SET -> {
                SetType set = (SetType) type;
                yield SequenceParser.set(name, plain(set.getElementType(), format));
            }
            case MAP -> {
                MapType map = (MapType) type;
                yield new MapParser(name, plain(map.getKeyType(), format), plain(map.getValueType(), format));
            }
            case TUPLE -> {
                TupleType tuple = (TupleType) type;
                yield new TupleParser(name, plain(tuple.getComponentTypes(), format));
            }
            case UDT -> {
                UserDefinedType udt = (UserDefinedType) type;
                String[] names = udt.getFieldNames().stream()
                        .map(CqlIdentifier::asInternal)
                        .toArray(String[]::new);
                yield new UdtParser(name, names, plain(udt.getFieldTypes(), format));
            }
            case VECTOR -> {
                VectorType vector = (VectorType) type;
                yield new VectorParser(name, vector, plain(vector.getElementType(), format));
            }
            case CUSTOM -> throw new IllegalArgumentException("values of the type " + name + " have no text form");
        };
    }

    private static ValueParser[] plain(List<DataType> types, ValueFormat format) {
        return types.stream().map(type -> plain(type, format)).toArray(ValueParser[]::new);
    }

    /**
     * Writes the value of the text. Spaces around it are skipped, except for text types.
     *
     * @throws BadValueException if the text is not a value of the type
     */
    public abstract void parse(char[] chars, int from, int to, Bytes out);

    /**
     * Writes the value at {@code json}, which is not null, and leaves {@code json} on the value's last token. Scalars
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

    /** Writes the value of the current token's text. */
    final void parseToken(JsonParser json, Bytes out) throws IOException {
        // in this order: a string is only read to its end when its characters are requested
        char[] chars = json.getTextCharacters();
        int from = json.getTextOffset();
        parse(chars, from, from + json.getTextLength(), out);
    }

    /** Whether a value is written in brackets. */
    boolean isNested() {
        return false;
    }

    /** Whether a value may be any text. */
    boolean isText() {
        return false;
    }

    /** Whether it is a number, which may be written with separators. */
    boolean isNumber() {
        return false;
    }

    /**
     * Suggests options of a load by which a refused value would be accepted, as the end of the message, starting with a
     * semicolon; empty if no option helps. Off the hot path.
     */
    public String hint(String value) {
        return "";
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
}
