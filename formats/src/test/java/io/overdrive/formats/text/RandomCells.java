package io.overdrive.formats.text;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import com.datastax.oss.driver.shaded.guava.common.net.InetAddresses;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.NumberOutput;
import io.overdrive.formats.records.Read;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Random types and edge cases of their values: the CQL bytes, and what the JDK would write for them. */
public final class RandomCells {
    /**
     * @param text what the default format writes; empty for nested types
     * @param json the same as JSON
     */
    public record Cell(byte[] bytes, String text, String json) {}

    private static final List<DataType> PLAIN = List.of(
            DataTypes.ASCII,
            DataTypes.TEXT,
            DataTypes.TINYINT,
            DataTypes.SMALLINT,
            DataTypes.INT,
            DataTypes.BIGINT,
            DataTypes.VARINT,
            DataTypes.DECIMAL,
            DataTypes.FLOAT,
            DataTypes.DOUBLE,
            DataTypes.BOOLEAN,
            DataTypes.BLOB,
            DataTypes.UUID,
            DataTypes.TIMEUUID,
            DataTypes.INET,
            DataTypes.DATE,
            DataTypes.TIME,
            DataTypes.TIMESTAMP,
            DataTypes.DURATION);
    private static final List<String> FIELD_NAMES =
            List.of("a", "A", "Latin Name", "say \"hi\"", "back\\slash", "it's \\", "null", "select", "x:,{\u00eb");
    private static final List<String> TEXTS = List.of(
            "", "NULL", "null", "NA", "-", "0", "\\N", " ", " x ", "#x", "'", "\"", "''", "\\", "\ufeffx", "[1, 2]");
    private static final int[] CHARACTERS =
            "ab:|\"',;\t\n\r# -10{}[]()\\\u0000\u0007\u007f\u00eb\u05e9\ufeff\ufffd\ud83d\udc0e"
                    .codePoints()
                    .toArray();

    private final Random random;

    public RandomCells(Random random) {
        this.random = random;
    }

    /** A type that is nested at most this deep. */
    public DataType type(int depth) {
        DataType plain = PLAIN.get(random.nextInt(PLAIN.size()));
        if (depth == 0) {
            return plain;
        }
        return switch (random.nextInt(9)) {
            case 0 -> DataTypes.listOf(type(depth - 1));
            case 1 -> DataTypes.setOf(type(depth - 1));
            case 2 -> DataTypes.mapOf(type(depth - 1), type(depth - 1));
            case 3 -> DataTypes.tupleOf(types(1 + random.nextInt(3), depth - 1));
            case 4 -> udt(depth - 1);
            case 5 -> DataTypes.vectorOf(type(depth - 1), 1 + random.nextInt(4));
            default -> plain;
        };
    }

    private DataType[] types(int count, int depth) {
        return IntStream.range(0, count).mapToObj(i -> type(depth)).toArray(DataType[]::new);
    }

    private DataType udt(int depth) {
        UserDefinedTypeBuilder udt = new UserDefinedTypeBuilder("ks", "udt");
        for (String name : FIELD_NAMES) {
            if (random.nextBoolean() || name.equals("a")) {
                udt.withField(CqlIdentifier.fromInternal(name), type(depth));
            }
        }
        return udt.build();
    }

    public Cell cell(DataType type) {
        if (type instanceof ListType list) {
            return sequence(list.getElementType());
        }
        if (type instanceof SetType set) {
            return sequence(set.getElementType());
        }
        if (type instanceof MapType map) {
            return map(map.getKeyType(), map.getValueType());
        }
        if (type instanceof TupleType tuple) {
            return fields(List.of(), tuple.getComponentTypes());
        }
        if (type instanceof UserDefinedType udt) {
            return fields(udt.getFieldNames(), udt.getFieldTypes());
        }
        if (type instanceof VectorType vector) {
            return vector(vector);
        }
        return plain(type);
    }

    private Cell sequence(DataType element) {
        int count = random.nextInt(4);
        Bytes bytes = new Bytes(64);
        bytes.putInt(count);
        List<String> json = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            json.add(put(cell(element), bytes).json);
        }
        return nested(bytes, "[" + String.join(",", json) + "]");
    }

    private Cell map(DataType key, DataType value) {
        boolean pairs = ValueText.of(key, ValueFormat.DEFAULT).isNested();
        Bytes entries = new Bytes(64);
        List<String> json = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            Cell keyCell = cell(key);
            if (seen.add(keyCell.json)) {
                put(keyCell, entries);
                Cell valueCell = put(cell(value), entries);
                json.add(
                        pairs
                                ? "[" + keyCell.json + "," + valueCell.json + "]"
                                : quoted(keyCell.text) + ":" + valueCell.json);
            }
        }
        Bytes bytes = new Bytes(64);
        bytes.putInt(seen.size());
        bytes.put(entries.toByteArray());
        String inner = String.join(",", json);
        return nested(bytes, pairs ? "[" + inner + "]" : "{" + inner + "}");
    }

    private Cell fields(List<CqlIdentifier> names, List<DataType> types) {
        Bytes bytes = new Bytes(64);
        List<String> json = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            String name = names.isEmpty() ? "" : quoted(names.get(i).asInternal()) + ":";
            if (random.nextInt(4) == 0) {
                bytes.putNull();
                json.add(name + "null");
            } else {
                json.add(name + put(cell(types.get(i)), bytes).json);
            }
        }
        String inner = String.join(",", json);
        return nested(bytes, names.isEmpty() ? "[" + inner + "]" : "{" + inner + "}");
    }

    private Cell vector(VectorType type) {
        Bytes bytes = new Bytes(64);
        List<String> json = new ArrayList<>();
        for (int i = 0; i < type.getDimensions(); i++) {
            Cell element = cell(type.getElementType());
            if (CqlType.elementBytes(type.getElementType()) < 0) {
                bytes.putUnsignedVint(element.bytes.length);
            }
            bytes.put(element.bytes);
            json.add(element.json);
        }
        return nested(bytes, "[" + String.join(",", json) + "]");
    }

    private static Cell nested(Bytes bytes, String json) {
        return new Cell(bytes.toByteArray(), "", json);
    }

    private static Cell put(Cell cell, Bytes bytes) {
        bytes.putInt(cell.bytes.length);
        bytes.put(cell.bytes);
        return cell;
    }

    private Cell plain(DataType type) {
        if (type.equals(DataTypes.ASCII) || type.equals(DataTypes.TEXT)) {
            String text = text(type.equals(DataTypes.ASCII));
            return new Cell(text.getBytes(StandardCharsets.UTF_8), text, quoted(text));
        }
        if (type.equals(DataTypes.BLOB)) {
            byte[] blob = new byte[random.nextInt(8)];
            random.nextBytes(blob);
            if (random.nextInt(8) == 0) {
                blob = new byte[] {(byte) 0x9e, (byte) 0xe9, 0x65}; // null in Base64
            }
            return string(blob, "0x" + HexFormat.of().formatHex(blob));
        }
        Object value = value(type);
        String text = shown(type, value);
        boolean bare = value instanceof Boolean || (value instanceof Number number && isFinite(number));
        byte[] bytes = ParseValuesTest.encoded(type, value);
        return bare && text.length() <= 1000 ? new Cell(bytes, text, text) : string(bytes, text);
    }

    private Object value(DataType type) {
        long bits = random.nextInt(20) == 0
                ? List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE).get(random.nextInt(4))
                : random.nextLong() >> random.nextInt(64);
        Object value = null;
        if (type.equals(DataTypes.TINYINT)) {
            value = (byte) bits;
        } else if (type.equals(DataTypes.SMALLINT)) {
            value = (short) bits;
        } else if (type.equals(DataTypes.INT)) {
            value = (int) bits;
        } else if (type.equals(DataTypes.BIGINT)) {
            value = bits;
        } else if (type.equals(DataTypes.VARINT)) {
            value = big(bits);
        } else if (type.equals(DataTypes.DECIMAL)) {
            value = new BigDecimal(big(bits), random.nextInt(40) - 15);
        } else if (type.equals(DataTypes.FLOAT)) {
            value = floating(bits);
        } else if (type.equals(DataTypes.DOUBLE)) {
            value = doubling(bits);
        } else if (type.equals(DataTypes.BOOLEAN)) {
            value = random.nextBoolean();
        } else if (type.equals(DataTypes.UUID)) {
            value = new UUID(bits, random.nextLong());
        } else if (type.equals(DataTypes.TIMEUUID)) {
            value = new UUID((bits & ~0xF000) | 0x1000, (random.nextLong() >>> 2) | Long.MIN_VALUE);
        } else if (type.equals(DataTypes.INET)) {
            value = address();
        } else if (type.equals(DataTypes.DATE)) {
            value = LocalDate.ofEpochDay((int) bits);
        } else if (type.equals(DataTypes.TIME)) {
            value = LocalTime.ofNanoOfDay(time(bits));
        } else if (type.equals(DataTypes.TIMESTAMP)) {
            value = Instant.ofEpochMilli(bits);
        } else if (type.equals(DataTypes.DURATION)) {
            value = duration(bits);
        }
        return Objects.requireNonNull(value, type.toString());
    }

    private static String shown(DataType type, Object value) {
        if (value instanceof Float f) {
            return NumberOutput.toString(f, /* useFastWriter */ true);
        }
        if (value instanceof Double d) {
            return NumberOutput.toString(d, /* useFastWriter */ true);
        }
        if (value instanceof InetAddress address) {
            return InetAddresses.toAddrString(address);
        }
        String text = value.toString();
        if (type.equals(DataTypes.TIME) && text.length() == 5) {
            return text + ":00";
        }
        return type.equals(DataTypes.DURATION) && text.isEmpty() ? "0s" : text;
    }

    private static boolean isFinite(Number value) {
        return !(value instanceof Float || value instanceof Double) || Double.isFinite(value.doubleValue());
    }

    private BigInteger big(long bits) {
        return switch (random.nextInt(30)) {
            case 0 -> new BigInteger(4000, random);
            case 1, 2, 3 -> new BigInteger(100, random).negate();
            default -> BigInteger.valueOf(bits);
        };
    }

    private float floating(long bits) {
        float value = random.nextBoolean() ? Float.intBitsToFloat((int) bits) : random.nextInt(1 << 20) / 1000f;
        return Float.isNaN(value) ? Float.NaN : value;
    }

    private double doubling(long bits) {
        double value =
                switch (random.nextInt(4)) {
                    case 0 -> Double.longBitsToDouble(bits);
                    case 1 -> random.nextDouble();
                    case 2 -> bits;
                    default -> bits / Math.pow(10, random.nextInt(12));
                };
        return Double.isNaN(value) ? Double.NaN : value;
    }

    private static long time(long bits) {
        long unit = (bits & 1) == 0 ? 1 : 60_000_000_000L;
        return (bits >>> 1) % (86_400_000_000_000L / unit) * unit;
    }

    private CqlDuration duration(long bits) {
        int sign = random.nextBoolean() ? 1 : -1;
        return CqlDuration.newInstance(
                sign * (random.nextInt() >>> (1 + random.nextInt(31))),
                sign * (random.nextInt() >>> (1 + random.nextInt(31))),
                sign * (bits >>> 1));
    }

    private InetAddress address() {
        byte[] address = new byte[random.nextBoolean() ? 4 : 16];
        random.nextBytes(address);
        for (int i = random.nextInt(3); i > 0; i--) {
            int from = random.nextInt(address.length);
            Arrays.fill(address, from, from + random.nextInt(address.length - from + 1), (byte) 0);
        }
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private String text(boolean ascii) {
        String special = TEXTS.get(random.nextInt(TEXTS.size()));
        if (random.nextInt(3) == 0 && (!ascii || special.codePoints().allMatch(c -> c < 128))) {
            return special;
        }
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(10); i > 0; i--) {
            int c = CHARACTERS[random.nextInt(CHARACTERS.length)];
            text.appendCodePoint(ascii && c >= 128 ? 'x' : c);
        }
        return text.toString();
    }

    private static Cell string(byte[] bytes, String text) {
        return new Cell(bytes, text, quoted(text));
    }

    private static String quoted(String text) {
        try {
            return Read.MAPPER.writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    /** A value, or sometimes null. */
    public @Nullable Cell cellOrNull(DataType type) {
        return random.nextInt(5) == 0 ? null : cell(type);
    }
}
