package io.overdrive.sstable;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random definitions of tables, and random values in wire form. */
public final class RandomTable {
    /** The name of a UDT that {@link #typeDdl} defines. */
    static final String UDT = "pair";

    /** Name of another UDT, for keys, to which no server lets a field be added. */
    static final String KEY_UDT = "key_pair";

    private static final List<String> COMPARABLE = List.of(
            "ascii",
            "bigint",
            "blob",
            "boolean",
            "date",
            "decimal",
            "double",
            "float",
            "inet",
            "int",
            "smallint",
            "text",
            "time",
            "timestamp",
            "timeuuid",
            "tinyint",
            "uuid",
            "varint");

    /** Types without text or bytes whose values may nevertheless have no bytes, though not in collections. */
    static final Set<CqlType> MAY_BE_EMPTY = EnumSet.of(
            CqlType.BIGINT,
            CqlType.BOOLEAN,
            CqlType.DECIMAL,
            CqlType.DOUBLE,
            CqlType.FLOAT,
            CqlType.INET,
            CqlType.INT,
            CqlType.TIMESTAMP,
            CqlType.TIMEUUID,
            CqlType.UUID,
            CqlType.VARINT);

    private static final float[] FLOATS = {
        -0f, 0, Float.NaN, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, Float.MIN_VALUE, -Float.MAX_VALUE
    };

    /** Names of columns that the grammar knows, or that look like expressions. */
    private static final List<String> WORDS = List.of(
            "select", "from", "token", "ttl", "writetime", "key", "timestamp", "writetime(v)", "ttl(v)", "primary key");

    private final Random random;
    private final boolean hasVectors;
    private final boolean asciiCollections;
    private final Set<String> names = new HashSet<>();

    /** @param hasVectors whether the server has that type */
    public RandomTable(Random random, boolean hasVectors) {
        this(random, hasVectors, /* asciiCollections */ false);
    }

    /**
     * @param asciiCollections whether no name of a column of several cells begins beyond ASCII. If one does, the server takes the column
     *     for one of a single cell: its files do not have that a collection was deleted before it was written ({@code
     *     BTreeRow.hasComplexDeletion}), and it may fail to merge rows of several files ({@code Columns.findFirstComplexIdx})
     */
    public RandomTable(Random random, boolean hasVectors, boolean asciiCollections) {
        this.random = random;
        this.hasVectors = hasVectors;
        this.asciiCollections = asciiCollections;
    }

    static List<String> typeDdl(String keyspace) {
        return Stream.of(UDT, KEY_UDT)
                .map(name -> "CREATE TYPE " + keyspace + "." + name
                        + " (\"Left\" int, \"\u540d.right \"\"side\" text, \"\u00e9\" frozen<map<text,"
                        + " frozen<set<int>>>>)")
                .toList();
    }

    /**
     * Which types the columns of primary keys get: each one as a partition key, and as a clustering column in both orders, before any comes
     * again.
     */
    static final class KeyTypes {
        private static final int KINDS = COMPARABLE.size() + 6;

        private final Random random;
        private final Deque<Integer> partition = new ArrayDeque<>();
        private final Deque<Integer> clustering = new ArrayDeque<>();
        private int rounds;

        KeyTypes(Random random) {
            this.random = random;
        }

        private int next(Deque<Integer> deck, int size) {
            if (deck.isEmpty()) {
                List<Integer> all =
                        new ArrayList<>(IntStream.range(0, size).boxed().toList());
                Collections.shuffle(all, random);
                deck.addAll(all);
                rounds++;
            }
            return deck.remove();
        }

        /** Whether tables have each of them. */
        boolean areAllUsed() {
            return rounds > 2 || (rounds == 2 && partition.isEmpty() && clustering.isEmpty());
        }
    }

    /**
     * A CREATE TABLE with columns whose names begin with anything, and contain p0, k0, s0, r100 and so on, or are those of {@link
     * #WORDS}.
     */
    String ddl(String name, KeyTypes keys, int statics, int regulars, String options) {
        StringBuilder columns = new StringBuilder();
        List<String> partition = new ArrayList<>();
        List<String> clustering = new ArrayList<>();
        List<String> order = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            partition.add(columnName("p" + i));
            columns.append(partition.get(i) + " " + keyType(keys.next(keys.partition, KeyTypes.KINDS)) + ", ");
        }
        for (int i = statics > 0 ? 0 : 1; i <= random.nextInt(6); i++) {
            String column = columnName("k" + i);
            int next = keys.next(keys.clustering, 2 * KeyTypes.KINDS);
            clustering.add(column);
            columns.append(column + " " + keyType(next / 2) + ", ");
            order.add(column + (next % 2 == 0 ? " DESC" : " ASC"));
        }
        for (int i = 0; i < statics; i++) {
            columns.append(column("s" + i, type(/* lists */ false)) + " STATIC, ");
        }
        boolean hasList = false;
        for (int i = 0; i < regulars; i++) {
            String type = type(!hasList); // the clock of the oracle gives one list in a row the times that are expected
            hasList |= type.startsWith("list");
            columns.append(column("r" + (100 + i), type) + ", ");
        }
        String key = partition.stream().collect(Collectors.joining(", ", "(", ")"));
        String all = clustering.isEmpty() ? key : key + ", " + String.join(", ", clustering);
        String with = clustering.isEmpty() ? "" : "CLUSTERING ORDER BY (" + String.join(", ", order) + ") AND ";
        return "CREATE TABLE " + name + " (" + columns + "PRIMARY KEY (" + all + ")) WITH " + with + options;
    }

    /** A name and a type in CQL. */
    String column(String base, String type) {
        String name = columnName(base);
        boolean isComplex = type.equals(UDT) || type.matches("(list|set|map)<.*");
        return asciiCollections && isComplex && name.charAt(1) >= 0x80 ? column(base, type) : name + " " + type;
    }

    /** A name for a column, in CQL: each one once. */
    private String columnName(String base) {
        String name =
                switch (random.nextInt(10)) {
                    case 0 -> "\u00e9" + base;
                    case 1 -> "\u540d " + base;
                    case 2 -> "\ud83d\udc0e" + base;
                    case 3 -> text(random.nextInt(7)) + "\u00eb" + base;
                    case 4 -> "q\"uo.t" + base + "\"\"";
                    case 5 -> WORDS.get(random.nextInt(WORDS.size()));
                    case 6 -> "the_same_beginning_" + text(28 - base.length()) + "_" + base;
                    case 7 -> random.nextInt(10) + base.toUpperCase(Locale.ROOT) + ":";
                    default -> text(random.nextInt(3)) + base;
                };
        return names.add(name) ? CqlIdentifier.fromInternal(name).asCql(true) : columnName(base);
    }

    private String keyType(int kind) {
        return switch (kind - COMPARABLE.size()) {
            case 0 ->
                "frozen<list<" + (random.nextBoolean() ? comparable() : "frozen<set<" + comparable() + ">>") + ">>";
            case 1 -> "frozen<set<" + comparable() + ">>";
            case 2 -> "tuple<" + comparable() + ", frozen<map<" + comparable() + ", " + comparable() + ">>>";
            case 3 -> vector(2);
            case 4 -> "frozen<" + KEY_UDT + ">";
            case 5 -> "frozen<map<" + comparable() + ", frozen<list<frozen<set<" + comparable() + ">>>>>>";
            default -> COMPARABLE.get(kind);
        };
    }

    private String comparable() {
        return COMPARABLE.get(random.nextInt(COMPARABLE.size()));
    }

    /** The type of a static or regular column. */
    String type(boolean lists) {
        return switch (random.nextInt(14)) {
            case 0 -> lists ? "list<" + element(1) + ">" : "int";
            case 1 -> "set<" + comparable() + ">";
            case 2 -> "map<" + comparable() + ", " + element(1) + ">";
            case 3 -> UDT;
            case 4 -> "set<frozen<set<" + comparable() + ">>>";
            case 5 -> "frozen<" + UDT + ">";
            case 6, 7 -> element(2);
            case 8 -> "duration";
            default -> comparable();
        };
    }

    private String vector(int dimensions) {
        String element = comparable();
        return hasVectors ? "vector<" + element + ", " + dimensions + ">" : "frozen<list<" + element + ">>";
    }

    /** A type that may be inside of others. */
    private String element(int depth) {
        if (depth == 0) {
            return comparable();
        }
        return switch (random.nextInt(7)) {
            case 0 -> "frozen<list<" + element(depth - 1) + ">>";
            case 1 -> "frozen<set<" + comparable() + ">>";
            case 2 -> "frozen<map<" + comparable() + ", " + element(depth - 1) + ">>";
            case 3 -> "tuple<" + element(depth - 1) + ", " + comparable() + ">";
            case 4 -> vector(3);
            case 5 -> "frozen<" + UDT + ">";
            default -> comparable();
        };
    }

    /** A value of the type. Elements of sets and maps are in any order. */
    public byte[] value(DataType type) {
        Bytes out = new Bytes(64);
        if (!MAY_BE_EMPTY.contains(CqlType.of(type)) || random.nextInt(16) > 0) {
            put(type, out);
        }
        return out.toByteArray();
    }

    private void put(DataType type, Bytes out) {
        long bits = random.nextLong() >> random.nextInt(64);
        switch (CqlType.of(type)) {
            case ASCII -> out.put(text(random.nextInt(12)).getBytes(StandardCharsets.US_ASCII));
            case TEXT ->
                out.put((text(random.nextInt(12)) + (random.nextBoolean() ? "" : "\u00eb\ud83d\udc0e"))
                        .getBytes(StandardCharsets.UTF_8));
            case BLOB -> {
                byte[] blob = new byte[random.nextInt(20)];
                random.nextBytes(blob);
                out.put(blob);
            }
            case BIGINT, TIMESTAMP -> out.putLong(bits);
            case TIME -> out.putLong(Math.floorMod(bits, 86_400_000_000_000L));
            case BOOLEAN -> out.putByte(random.nextInt(2));
            case DATE, INT -> out.putInt((int) bits);
            case SMALLINT -> out.putShort((int) bits);
            case TINYINT -> out.putByte((int) bits);
            case FLOAT ->
                out.putFloat(random.nextInt(8) == 0 ? FLOATS[random.nextInt(FLOATS.length)] : random.nextInt(99) / 8f);
            case DOUBLE ->
                out.putDouble(
                        random.nextInt(8) == 0 ? FLOATS[random.nextInt(FLOATS.length)] : random.nextDouble() * bits);
            case VARINT ->
                out.put(BigInteger.valueOf(bits).pow(1 + random.nextInt(2)).toByteArray());
            case DECIMAL -> {
                out.putInt(random.nextInt(30) - 10);
                out.put(BigInteger.valueOf(bits).toByteArray());
            }
            case DURATION -> {
                out.putVint(random.nextInt(1000));
                out.putVint(random.nextInt(1000));
                out.putVint(bits >>> 1);
            }
            case INET -> {
                byte[] address = new byte[random.nextBoolean() ? 4 : 16];
                random.nextBytes(address);
                out.put(address);
            }
            case TIMEUUID -> putUuid(1, out);
            case UUID -> putUuid(random.nextBoolean() ? 1 : 4, out);
            case LIST -> putElements(out, ((ListType) type).getElementType());
            case SET -> putElements(out, ((SetType) type).getElementType());
            case MAP -> putElements(out, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case TUPLE -> putFields(((TupleType) type).getComponentTypes(), out);
            case UDT -> putFields(((UserDefinedType) type).getFieldTypes(), out);
            case VECTOR -> {
                VectorType vector = (VectorType) type;
                for (int i = 0; i < vector.getDimensions(); i++) {
                    byte[] element = element(vector.getElementType());
                    if (CqlType.elementBytes(vector.getElementType()) < 0) {
                        out.putUnsignedVint(element.length);
                    }
                    out.put(element);
                }
            }
            case COUNTER, CUSTOM -> throw new IllegalArgumentException(type.toString());
        }
    }

    private byte[] element(DataType type) {
        byte[] element = value(type);
        return element.length == 0 ? element(type) : element; // a vector has none that is empty
    }

    private void putElements(Bytes out, DataType... types) {
        int count = random.nextInt(5);
        out.putInt(count);
        for (int i = 0; i < count; i++) {
            for (DataType type : types) {
                int begin = out.beginValue();
                put(type, out);
                out.endValue(begin);
            }
        }
    }

    private void putFields(List<DataType> types, Bytes out) {
        for (DataType type : types) {
            if (random.nextInt(4) == 0) {
                out.putNull();
            } else {
                int begin = out.beginValue();
                put(type, out);
                out.endValue(begin);
            }
        }
    }

    private void putUuid(int version, Bytes out) {
        out.putLong((random.nextLong() & ~0xF000L) | (long) version << 12);
        out.putLong((random.nextLong() >>> 2) | Long.MIN_VALUE);
    }

    public String text(int length) {
        return random.ints(length, 'a', 'z' + 1).mapToObj(Character::toString).collect(Collectors.joining());
    }

    public <T> List<T> shuffled(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, random);
        return copy;
    }
}
