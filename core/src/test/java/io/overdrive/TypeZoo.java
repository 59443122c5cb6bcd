package io.overdrive;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import com.datastax.oss.protocol.internal.util.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The one table of sample values: for every CQL type the values that cause trouble, as the driver's codec takes them, as the text
 * of a CSV cell and as JSON. Every way in and out (API, CSV, JSON, Spark) round-trips all of them. Immutable.
 *
 * <p>If you put them into tables: counters need a separate table and are added to, not inserted;
 * an empty collection that is not frozen is a null to Cassandra, so that only frozen ones have an empty sample; and empty
 * text is a value here, while loaders may treat it as null.
 */
public final class TypeZoo {
    /** The keyspace of the UDT by default. */
    public static final String KEYSPACE = "zoo";

    /**
     * @param name unique, and good as a column name
     * @param cql the type as written in a column definition
     */
    public record TypeSamples(String name, String cql, DataType type, List<Sample> samples) {
        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * @param text a CSV cell after the CSV quoting is taken off
     * @param json one JSON value
     */
    public record Sample(Object value, String text, String json) {}

    /** Whether the server of these tests has them: from Cassandra 5.0 on. */
    public static final boolean HAS_VECTORS =
            !System.getProperty("overdrive.local.cassandra", "").startsWith("4.");

    private TypeZoo() {}

    public static List<TypeSamples> all() {
        return all(KEYSPACE);
    }

    /** Samples with the UDT in the given keyspace, which {@link #udtDdl} must have been run for. */
    public static List<TypeSamples> all(String keyspace) {
        List<TypeSamples> zoo = new ArrayList<>();
        text(zoo);
        integers(zoo);
        fractions(zoo);
        others(zoo);
        identifiers(zoo);
        times(zoo);
        collections(zoo);
        structures(zoo, keyspace);
        if (HAS_VECTORS) {
            vectors(zoo);
        }
        return List.copyOf(zoo);
    }

    /** Defines the UDT that {@link #all(String)} uses. */
    public static String udtDdl(String keyspace) {
        return "CREATE TYPE IF NOT EXISTS " + keyspace
                + ".creature (name text, legs int, \"Latin Name\" text, \"say \"\"hi\"\"\" text,"
                + " colours frozen<set<text>>, seen timestamp)";
    }

    public static UserDefinedType udt(String keyspace) {
        return new UserDefinedTypeBuilder(keyspace, "creature")
                .withField("name", DataTypes.TEXT)
                .withField("legs", DataTypes.INT)
                .withField(CqlIdentifier.fromInternal("Latin Name"), DataTypes.TEXT)
                .withField(CqlIdentifier.fromInternal("say \"hi\""), DataTypes.TEXT)
                .withField("colours", DataTypes.frozenSetOf(DataTypes.TEXT))
                .withField("seen", DataTypes.TIMESTAMP)
                .build();
    }

    private static void text(List<TypeSamples> zoo) {
        add(
                zoo,
                "ascii",
                "ascii",
                DataTypes.ASCII,
                quoted("plain"),
                quoted(""),
                quoted("~ !\"#$%&'()*+,-./"),
                quoted("a\tb\u007f"));
        add(
                zoo,
                "text",
                "text",
                DataTypes.TEXT,
                quoted("plain"),
                quoted(""),
                quoted(" spaces around "),
                quoted("NULL"),
                quoted("4o"),
                // precomposed and combining, right to left, four bytes, a family of code points, the last code point
                quoted("Zo\u00eb Zoe\u0308"),
                quoted("\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627"),
                quoted("\ud834\udd1e \ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 \udbff\udfff"),
                quoted("\ufeffbom and \u2028 line separator"),
                quoted("a,b;c|d\te"),
                quoted("two\nlines\r\nand \"double\", 'single' and `back` quotes"),
                quoted("back\\slash \\n \\"),
                quoted("nul \u0000 and bell \u0007"),
                quoted("[1, 2]"),
                quoted("x".repeat(5_000)));
    }

    private static void integers(List<TypeSamples> zoo) {
        add(
                zoo,
                "tinyint",
                "tinyint",
                DataTypes.TINYINT,
                bare((byte) 0),
                bare((byte) -1),
                bare(Byte.MAX_VALUE),
                bare(Byte.MIN_VALUE));
        add(
                zoo,
                "smallint",
                "smallint",
                DataTypes.SMALLINT,
                bare((short) 0),
                bare((short) -1),
                bare(Short.MAX_VALUE),
                bare(Short.MIN_VALUE));
        add(
                zoo,
                "int",
                "int",
                DataTypes.INT,
                bare(0),
                bare(-1),
                bare(Integer.MAX_VALUE),
                bare(Integer.MIN_VALUE),
                new Sample(42, " +0042 ", "\"42\""));
        List<Sample> longs = List.of(
                bare(0L),
                bare(-1L),
                bare(Long.MAX_VALUE),
                bare(Long.MIN_VALUE),
                bare(1L << 53),
                bare((1L << 53) + 1),
                bare(999_999_999_999_999_999L),
                bare(1_000_000_000_000_000_000L));
        zoo.add(new TypeSamples("bigint", "bigint", DataTypes.BIGINT, longs));
        zoo.add(new TypeSamples("counter", "counter", DataTypes.COUNTER, longs));
        add(
                zoo,
                "varint",
                "varint",
                DataTypes.VARINT,
                bare(BigInteger.ZERO),
                bare(BigInteger.valueOf(-1)),
                bare(BigInteger.valueOf(127)),
                bare(BigInteger.valueOf(128)),
                bare(BigInteger.valueOf(-128)),
                bare(BigInteger.valueOf(-129)),
                bare(BigInteger.valueOf(Long.MAX_VALUE)),
                bare(BigInteger.valueOf(Long.MIN_VALUE)),
                bare(BigInteger.TWO.pow(63)),
                bare(BigInteger.TWO.pow(63).negate().subtract(BigInteger.ONE)),
                bare(BigInteger.TWO.pow(64)),
                bare(new BigInteger("1234567890123456789012345678901234567890")),
                bare(new BigInteger("-1234567890123456789012345678901234567890")));
    }

    private static void fractions(List<TypeSamples> zoo) {
        add(
                zoo,
                "decimal",
                "decimal",
                DataTypes.DECIMAL,
                bare(new BigDecimal("0")),
                bare(new BigDecimal("0.00")),
                bare(new BigDecimal("1.50")),
                bare(new BigDecimal("-0.001")),
                bare(new BigDecimal("1E+3")),
                bare(new BigDecimal("1E-1000")),
                bare(new BigDecimal("9.99E+2000")),
                bare(new BigDecimal("9223372036854775807")),
                bare(new BigDecimal("9223372036854775808")),
                bare(new BigDecimal("-92233720368547758.08")),
                bare(new BigDecimal("12345678901234567890.12345678901234567890")),
                bare(new BigDecimal("3.14159265358979323846264338327950288419716939937510")));
        add(
                zoo,
                "float",
                "float",
                DataTypes.FLOAT,
                bare(0f),
                bare(-0f),
                bare(0.1f),
                bare(16_777_218f),
                bare(Float.MIN_VALUE),
                bare(-Float.MIN_NORMAL),
                bare(Float.MAX_VALUE),
                bare(-Float.MAX_VALUE),
                quotedForm(Float.NaN),
                quotedForm(Float.POSITIVE_INFINITY),
                quotedForm(Float.NEGATIVE_INFINITY),
                // just above the middle of two floats, where rounding to a double first would round down
                new Sample(
                        Math.nextUp(Math.nextUp(1f)),
                        "1.00000017881393432617187500001",
                        "1.00000017881393432617187500001"));
        add(
                zoo,
                "double",
                "double",
                DataTypes.DOUBLE,
                bare(0d),
                bare(-0d),
                bare(0.1),
                bare(1d / 3),
                bare(9007199254740994d),
                bare(1e22),
                bare(Double.parseDouble("1e23")),
                bare(Double.MIN_VALUE),
                bare(-Double.MIN_NORMAL),
                bare(2.225073858507201e-308),
                bare(Double.MAX_VALUE),
                bare(-Double.MAX_VALUE),
                quotedForm(Double.NaN),
                quotedForm(Double.POSITIVE_INFINITY),
                quotedForm(Double.NEGATIVE_INFINITY));
    }

    private static void others(List<TypeSamples> zoo) {
        add(
                zoo,
                "boolean",
                "boolean",
                DataTypes.BOOLEAN,
                bare(true),
                bare(false),
                new Sample(true, "YES", "\"True\""),
                new Sample(false, "0", "0"));
        add(
                zoo,
                "blob",
                "blob",
                DataTypes.BLOB,
                blob("0x"),
                blob("0x00"),
                blob("0xcafebabe"),
                blob("0xFF00ff"),
                new Sample(Bytes.fromHexString("0xcafebabe"), "yv66vg==", "\"yv66vg\""),
                blob("0x" + "00ff".repeat(3_000)));
    }

    private static void identifiers(List<TypeSamples> zoo) {
        add(
                zoo,
                "uuid",
                "uuid",
                DataTypes.UUID,
                quotedForm(new UUID(0, 0)),
                quotedForm(new UUID(-1, -1)),
                quotedForm(UUID.fromString("f81d4fae-7dec-41d0-a765-00a0c91e6bf6")),
                new Sample(
                        UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
                        "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
                        "\"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6\""));
        add(
                zoo,
                "timeuuid",
                "timeuuid",
                DataTypes.TIMEUUID,
                quotedForm(UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")),
                quotedForm(UUID.fromString("00000000-0000-1000-8080-808080808080")),
                quotedForm(UUID.fromString("ffffffff-ffff-1fff-bf7f-7f7f7f7f7f7f")));
        add(
                zoo,
                "inet",
                "inet",
                DataTypes.INET,
                inet("127.0.0.1"),
                inet("0.0.0.0"),
                inet("255.255.255.255"),
                inet("::"),
                inet("::1"),
                inet("2001:db8::ff00:42:8329"),
                inet("fe80:1:2:3:4:5:6:7"),
                inet("::ffff:10.0.0.1"),
                inet("64:ff9b::192.0.2.33"));
    }

    private static void times(List<TypeSamples> zoo) {
        add(
                zoo,
                "date",
                "date",
                DataTypes.DATE,
                quotedForm(LocalDate.EPOCH),
                quotedForm(LocalDate.of(1969, 12, 31)),
                quotedForm(LocalDate.of(2000, 2, 29)),
                quotedForm(LocalDate.of(1900, 2, 28)),
                quotedForm(LocalDate.of(2024, 12, 31)),
                quotedForm(LocalDate.of(1, 1, 1)),
                quotedForm(LocalDate.of(0, 2, 29)),
                quotedForm(LocalDate.of(-1, 1, 1)),
                quotedForm(LocalDate.of(9999, 12, 31)),
                quotedForm(LocalDate.of(10000, 1, 1)),
                quotedForm(LocalDate.ofEpochDay(Integer.MIN_VALUE)),
                quotedForm(LocalDate.ofEpochDay(Integer.MAX_VALUE)),
                new Sample(LocalDate.EPOCH, " 1970-1-1", "\"1970-01-1\""));
        add(
                zoo,
                "time",
                "time",
                DataTypes.TIME,
                quotedForm(LocalTime.MIDNIGHT),
                quotedForm(LocalTime.of(23, 59, 59, 999_999_999)),
                quotedForm(LocalTime.of(12, 34, 56)),
                quotedForm(LocalTime.of(0, 0, 0, 1)),
                new Sample(LocalTime.of(0, 0, 1), "0:0:1", "\"00:00:01.0\""));
        add(
                zoo,
                "timestamp",
                "timestamp",
                DataTypes.TIMESTAMP,
                quotedForm(Instant.EPOCH),
                quotedForm(Instant.ofEpochMilli(-1)),
                quotedForm(Instant.parse("2000-02-29T23:59:59.999Z")),
                quotedForm(Instant.parse("0001-01-01T00:00:00Z")),
                quotedForm(Instant.parse("-0001-01-01T00:00:00Z")),
                quotedForm(Instant.parse("+10000-01-01T00:00:00Z")),
                quotedForm(Instant.ofEpochMilli(Long.MIN_VALUE)),
                quotedForm(Instant.ofEpochMilli(Long.MAX_VALUE)),
                new Sample(
                        Instant.parse("2013-01-01T09:00:00.123Z"),
                        "2013-01-01 10:00:00.123456+0100",
                        "\"2013-01-01T10:00:00.123+01:00\""),
                new Sample(Instant.ofEpochMilli(1_500_000_000_000L), "1500000000000", "1500000000000"));
        add(
                zoo,
                "duration",
                "duration",
                DataTypes.DURATION,
                new Sample(CqlDuration.newInstance(0, 0, 0), "0s", "\"0ns\""),
                new Sample(
                        CqlDuration.newInstance(14, 25, 18_367_008_009_010L),
                        "1y2mo3w4d5h6m7s8ms9us10ns",
                        "\"1Y2MO3W4D5H6M7S8MS9US10NS\""),
                new Sample(CqlDuration.newInstance(-1, -2, -3), "-1mo2d3ns", "\"-1mo2d3ns\""),
                new Sample(CqlDuration.newInstance(14, 3, 14_706_000_000_000L), "P1Y2M3DT4H5M6S", "\"P1Y2M3DT4H5M6S\""),
                new Sample(CqlDuration.newInstance(0, 14, 0), "P2W", "\"P2W\""),
                new Sample(
                        CqlDuration.newInstance(-14, -3, -14_706_000_000_000L),
                        "-P0001-02-03T04:05:06",
                        "\"-P0001-02-03T04:05:06\""),
                new Sample(
                        CqlDuration.newInstance(Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE),
                        "2147483647mo2147483647d9223372036854775807ns",
                        "\"2147483647mo2147483647d9223372036854775807ns\""));
    }

    private static void collections(List<TypeSamples> zoo) {
        add(
                zoo,
                "list_int",
                "list<int>",
                DataTypes.listOf(DataTypes.INT),
                new Sample(List.of(3, 1, 2, 1), "[3, 1, 2, 1]", "[3,1,2,1]"),
                new Sample(List.of(Integer.MIN_VALUE), "[-2147483648]", "[\"-2147483648\"]"));
        add(
                zoo,
                "list_text",
                "frozen<list<text>>",
                DataTypes.frozenListOf(DataTypes.TEXT),
                new Sample(List.of(), "[]", "[]"),
                new Sample(
                        List.of("", "a,b", "it's", "{}"),
                        "['', 'a,b', 'it''s', '{}']",
                        "[\"\",\"a,b\",\"it's\",\"{}\"]"),
                new Sample(
                        List.of("a\n\"b\"", "\u00eb"),
                        "[\"a\\n\\\"b\\\"\", \"\\u00eb\"]",
                        "[\"a\\n\\\"b\\\"\", \"\\u00eb\"]"));
        add(
                zoo,
                "set_text",
                "set<text>",
                DataTypes.setOf(DataTypes.TEXT),
                new Sample(ordered("a", "b"), "{'a', 'b'}", "[\"a\",\"b\"]"),
                new Sample(ordered("]", "}"), "[\"]\", \"}\"]", "[\"]\", \"}\"]"));
        add(
                zoo,
                "set_uuid",
                "frozen<set<uuid>>",
                DataTypes.frozenSetOf(DataTypes.UUID),
                new Sample(Set.of(), "{}", "[]"),
                new Sample(
                        Set.of(UUID.fromString("12345678-7dec-41d0-a765-00a0c91e6bf6")),
                        "{12345678-7dec-41d0-a765-00a0c91e6bf6}",
                        "[\"12345678-7dec-41d0-a765-00a0c91e6bf6\"]"));
        add(
                zoo,
                "map_text_int",
                "map<text, int>",
                DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT),
                new Sample(ordered("a", 1, "it's: b", 2), "{'a': 1, 'it''s: b': 2}", "{\"a\":1,\"it's: b\":2}"),
                new Sample(Map.of("", -1), "{\"\": -1}", "{\"\":-1}"));
        add(
                zoo,
                "map_int_timestamp",
                "frozen<map<int, timestamp>>",
                DataTypes.frozenMapOf(DataTypes.INT, DataTypes.TIMESTAMP),
                new Sample(Map.of(), "{}", "{}"),
                new Sample(
                        ordered(-1, Instant.EPOCH, 2, Instant.ofEpochMilli(-1)),
                        "{-1: 1970-01-01 00:00:00, 2: '1969-12-31 23:59:59.999+0000'}",
                        "{\"-1\":0,\"2\":\"1969-12-31T23:59:59.999Z\"}"));
        add(
                zoo,
                "map_list_blob",
                "map<frozen<list<int>>, blob>",
                DataTypes.mapOf(DataTypes.frozenListOf(DataTypes.INT), DataTypes.BLOB),
                new Sample(Map.of(List.of(1, 2), Bytes.fromHexString("0xff")), "{[1, 2]: 0xff}", "[[[1,2],\"0xff\"]]"),
                new Sample(
                        Map.of(List.of(1, 2), Bytes.fromHexString("0x")), "{\"[1, 2]\": 0x}", "{\"[1, 2]\":\"0x\"}"));
        add(
                zoo,
                "list_map_set",
                "list<frozen<map<text, frozen<set<int>>>>>",
                DataTypes.listOf(DataTypes.frozenMapOf(DataTypes.TEXT, DataTypes.frozenSetOf(DataTypes.INT))),
                new Sample(
                        List.of(ordered("a", ordered(1, 2), "b", Set.of()), Map.of()),
                        "[{'a': {1, 2}, 'b': {}}, {}]",
                        "[{\"a\":[1,2],\"b\":[]},{}]"));
    }

    private static void structures(List<TypeSamples> zoo, String keyspace) {
        TupleType tuple = DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT, DataTypes.frozenListOf(DataTypes.DOUBLE));
        add(
                zoo,
                "tuple",
                "tuple<int, text, frozen<list<double>>>",
                tuple,
                new Sample(
                        tuple.newValue(1, "it's", List.of(0.5, -1e300)),
                        "(1, 'it''s', [0.5, -1e300])",
                        "[1,\"it's\",[0.5,-1e300]]"),
                new Sample(tuple.newValue(null, "", null), "(null, '', null)", "[null,\"\",null]"),
                new Sample(tuple.newValue(null, null, null), "[null,null,null]", "[null,null,null]"));
        UserDefinedType udt = udt(keyspace);
        add(
                zoo,
                "udt",
                "frozen<creature>",
                udt.copy(/* newFrozen */ true),
                new Sample(
                        udt.copy(true)
                                .newValue(
                                        "O'Malley", 4, "Felis catus", "miau, \"hi\"", ordered("a", "b"), Instant.EPOCH),
                        "{name: 'O''Malley', legs: 4, \"Latin Name\": 'Felis catus', \"say \"\"hi\"\"\": 'miau, \"hi\"',"
                                + " colours: {'a', 'b'}, seen: '1970-01-01 00:00:00.000+0000'}",
                        "{\"name\":\"O'Malley\",\"legs\":4,\"Latin Name\":\"Felis catus\",\"say \\\"hi\\\"\":\"miau, \\\"hi\\\"\","
                                + "\"colours\":[\"a\",\"b\"],\"seen\":0}"),
                new Sample(
                        udt.copy(true).newValue(null, null, "", null, Set.of(), null),
                        "{name: null, \"Latin Name\": '', colours: {}}",
                        "{\"colours\":[],\"legs\":null,\"LATIN NAME\":\"\"}"));
        add(
                zoo,
                "list_udt",
                "list<frozen<creature>>",
                DataTypes.listOf(udt.copy(true)),
                new Sample(
                        List.of(
                                udt.copy(true).newValue("ant", 6, null, null, null, null),
                                udt.copy(true).newValue("fly", null, null, null, null, null)),
                        "[{legs: 6, name: 'ant'}, {name: 'fly'}]",
                        "[{\"legs\":6,\"name\":\"ant\"},[\"fly\",null,null,null,null,null]]"));
    }

    private static void vectors(List<TypeSamples> zoo) {
        add(
                zoo,
                "vector_float",
                "vector<float, 3>",
                DataTypes.vectorOf(DataTypes.FLOAT, 3),
                new Sample(CqlVector.newInstance(1f, -0.5f, 1e-30f), "[1, -0.5, 1e-30]", "[1.0,-0.5,1e-30]"));
        add(
                zoo,
                "vector_text",
                "vector<text, 2>",
                DataTypes.vectorOf(DataTypes.TEXT, 2),
                new Sample(CqlVector.newInstance("", "\u00eb"), "['', '\u00eb']", "[\"\",\"\u00eb\"]"),
                new Sample(
                        CqlVector.newInstance("x".repeat(127), "y".repeat(20_000)),
                        "['" + "x".repeat(127) + "', '" + "y".repeat(20_000) + "']",
                        "[\"" + "x".repeat(127) + "\", \"" + "y".repeat(20_000) + "\"]"));
        add(
                zoo,
                "vector_smallint",
                "vector<smallint, 2>",
                DataTypes.vectorOf(DataTypes.SMALLINT, 2),
                new Sample(CqlVector.newInstance((short) -1, (short) 300), "[-1, 300]", "[-1,300]"));
        add(
                zoo,
                "vector_vector",
                "vector<vector<int, 2>, 2>",
                DataTypes.vectorOf(DataTypes.vectorOf(DataTypes.INT, 2), 2),
                new Sample(
                        CqlVector.newInstance(List.of(CqlVector.newInstance(1, 2), CqlVector.newInstance(3, 4))),
                        "[[1, 2], [3, 4]]",
                        "[[1,2],[3,4]]"));
    }

    private static void add(List<TypeSamples> zoo, String name, String cql, DataType type, Sample... samples) {
        zoo.add(new TypeSamples(name, cql, type, List.of(samples)));
    }

    /** A value whose text is its JSON. */
    private static Sample bare(Object value) {
        return new Sample(value, value.toString(), value.toString());
    }

    private static Sample quoted(String text) {
        return new Sample(text, text, json(text));
    }

    /** A value whose JSON is its text, as a string. */
    private static Sample quotedForm(Object value) {
        return new Sample(value, value.toString(), json(value.toString()));
    }

    private static Sample blob(String hex) {
        ByteBuffer value = Bytes.fromHexString(hex);
        return new Sample(value, hex, json(hex));
    }

    private static Sample inet(String text) {
        try {
            return new Sample(InetAddress.getByName(text), text, json(text));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String json(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }

    private static <T> Set<T> ordered(T a, T b) {
        return new LinkedHashSet<>(List.of(a, b));
    }

    private static <K, V> Map<K, V> ordered(K key1, V value1, K key2, V value2) {
        Map<K, V> map = new LinkedHashMap<>();
        map.put(key1, value1);
        map.put(key2, value2);
        return map;
    }
}
