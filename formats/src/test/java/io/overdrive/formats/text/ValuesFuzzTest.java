package io.overdrive.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values of arbitrary text, JSON and bytes. The build runs the stored inputs; scripts/fuzz.sh searches for others. The first byte of
 * an input chooses the type.
 */
class ValuesFuzzTest {
    private static final List<DataType> TYPES = List.of(
            DataTypes.ASCII,
            DataTypes.TEXT,
            DataTypes.TINYINT,
            DataTypes.BIGINT,
            DataTypes.VARINT,
            DataTypes.DECIMAL,
            DataTypes.FLOAT,
            DataTypes.DOUBLE,
            DataTypes.BOOLEAN,
            DataTypes.BLOB,
            DataTypes.UUID,
            DataTypes.INET,
            DataTypes.DATE,
            DataTypes.TIME,
            DataTypes.TIMESTAMP,
            DataTypes.DURATION,
            DataTypes.listOf(DataTypes.INT),
            DataTypes.setOf(DataTypes.TEXT),
            DataTypes.mapOf(DataTypes.TEXT, DataTypes.listOf(DataTypes.TEXT)),
            DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT, DataTypes.setOf(DataTypes.UUID)),
            DataTypes.vectorOf(DataTypes.FLOAT, 3),
            DataTypes.vectorOf(DataTypes.TEXT, 2),
            DataTypes.mapOf(DataTypes.INT, DataTypes.mapOf(DataTypes.DATE, DataTypes.DURATION)));
    private static final JsonFactory JSON = new JsonFactory();

    private static ValueText type(byte[] data) {
        return ValueText.of(TYPES.get((data[0] & 0xff) % TYPES.size()), ValueFormat.DEFAULT);
    }

    private static byte @Nullable [] parse(ValueText type, String text) {
        Bytes out = new Bytes(16);
        try {
            type.parse(text.toCharArray(), 0, text.length(), out);
            return out.toByteArray();
        } catch (BadValueException e) {
            return null;
        }
    }

    private static byte @Nullable [] parseJson(ValueText type, String text) {
        Bytes out = new Bytes(16);
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() == JsonToken.VALUE_NULL || json.currentToken() == null) {
                return null;
            }
            type.parse(json, out);
            return out.toByteArray();
        } catch (BadValueException | IOException e) {
            return null;
        }
    }

    private static @Nullable String text(ValueText type, byte[] value, boolean json) {
        Bytes out = new Bytes(16);
        try {
            if (json) {
                type.writeJson(value, 0, value.length, out);
            } else {
                type.write(value, 0, value.length, out);
            }
            return new String(out.toByteArray(), StandardCharsets.UTF_8);
        } catch (BadValueException e) {
            return null;
        }
    }

    private static void assertSame(ValueText type, byte @Nullable [] actual, byte[] expected, String text) {
        assertThat(actual == null ? "refused" : HexFormat.of().formatHex(actual))
                .as("%s written as %s", type.type, text)
                .isEqualTo(HexFormat.of().formatHex(expected));
    }

    /** Asserts that a parsed value is written as text and as JSON that are parsed as the same bytes. */
    private static void assertComesBack(ValueText type, byte[] value) {
        for (boolean json : new boolean[] {false, true}) {
            String written = text(type, value, json);
            assertThat(written)
                    .as("%s from %s", type.type, HexFormat.of().formatHex(value))
                    .isNotNull();
            if (written != null) {
                assertSame(type, json ? parseJson(type, written) : parse(type, written), value, written);
            }
        }
    }

    @FuzzTest
    void text(byte[] data) {
        if (data.length > 0) {
            ValueText type = type(data);
            byte[] value = parse(type, new String(data, 1, data.length - 1, StandardCharsets.UTF_8));
            if (value != null && !type.isNull(value.length)) {
                assertComesBack(type, value);
            }
        }
    }

    @FuzzTest
    void json(byte[] data) {
        if (data.length > 0) {
            ValueText type = type(data);
            byte[] value = parseJson(type, new String(data, 1, data.length - 1, StandardCharsets.UTF_8));
            if (value != null && !type.isNull(value.length)) {
                assertComesBack(type, value);
            }
        }
    }

    /** An IPv4-mapped IPv6 address, which comes back as the IPv4 address. */
    private static boolean isMappedAddress(ValueText type, byte[] value) {
        return type.type.equals("inet")
                && value.length == 16
                && Arrays.equals(value, 0, 12, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1}, 0, 12);
    }

    /** Bytes of a server are refused, or written as text that is parsed, unless that refuses an empty element. */
    @FuzzTest
    void bytes(byte[] data) {
        if (data.length > 1) {
            ValueText type = type(data);
            byte[] value = Arrays.copyOfRange(data, 1, data.length);
            for (boolean json : new boolean[] {false, true}) {
                String written = text(type, value, json);
                byte[] back = written == null ? null : json ? parseJson(type, written) : parse(type, written);
                if (back != null && isMappedAddress(type, value)) {
                    assertSame(type, back, Arrays.copyOfRange(value, 12, 16), String.valueOf(written));
                } else if (back != null) {
                    // other bytes may have the same meaning, but then the text is the same
                    assertThat(text(type, back, json)).isEqualTo(written);
                }
            }
        }
    }
}
