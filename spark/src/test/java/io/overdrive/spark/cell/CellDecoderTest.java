package io.overdrive.spark.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.overdrive.TypeZoo;
import io.overdrive.internal.codec.Bytes;
import java.nio.ByteBuffer;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.junit.jupiter.api.Test;

class CellDecoderTest {
    private static UnsafeRow decode(DataType type, byte[] bytes) {
        UnsafeRowWriter to = new UnsafeRowWriter(1);
        to.resetRowWriter();
        CellDecoder.of(type, SparkTypes.type(type)).putOrNull(bytes, 0, bytes.length, to, 0);
        return to.getRow();
    }

    private static boolean isNullInTheDriver(DataType type) {
        Object value = CodecRegistry.DEFAULT.codecFor(type).decode(ByteBuffer.allocate(0), DefaultProtocolVersion.V5);
        return value == null;
    }

    @Test
    void decodesEmptyValuesAsNullIfTheDriverDoes() {
        List<DataType> types =
                TypeZoo.all().stream().map(TypeZoo.TypeSamples::type).distinct().toList();
        for (DataType type : types) {
            assertThat(decode(type, new byte[0]).isNullAt(0))
                    .as(type.asCql(/* includeFrozen */ true, /* pretty */ true))
                    .isEqualTo(isNullInTheDriver(type));
        }
        assertThat(types).anyMatch(CellDecoderTest::isNullInTheDriver);
    }

    /** An address of IPv4 as 4 and as 16 bytes: two keys in Cassandra. */
    @Test
    void givesEachAddressItsOwnText() {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 10;
        mapped[15] = 7;
        for (byte[] address : List.of(new byte[] {10, 0, 0, 7}, mapped, new byte[16])) {
            UnsafeRow row = decode(DataTypes.INET, address);
            Bytes written = new Bytes(16);
            CellEncoder.of(DataTypes.INET, SparkTypes.type(DataTypes.INET), ZoneOffset.UTC)
                    .put(row, 0, written);
            assertThat(written.toByteArray()).isEqualTo(address);
        }
        assertThat(decode(DataTypes.INET, mapped).getUTF8String(0)).hasToString("0:0:0:0:0:ffff:a00:7");
        assertThat(decode(DataTypes.INET, new byte[] {10, 0, 0, 7}).getUTF8String(0))
                .hasToString("10.0.0.7");
    }

    @Test
    void decodesEmptyElementsAsNull() {
        byte[] twoInts = {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 7};
        UnsafeRow list = decode(DataTypes.listOf(DataTypes.INT), twoInts);
        assertThat(list.getArray(0).numElements()).isEqualTo(2);
        assertThat(list.getArray(0).isNullAt(0)).isTrue();
        assertThat(list.getArray(0).getInt(1)).isEqualTo(7);

        byte[] textAndDate = {0, 0, 0, 0, 0, 0, 0, 0};
        UnsafeRow tuple = decode(DataTypes.tupleOf(DataTypes.TEXT, DataTypes.DATE), textAndDate);
        assertThat(tuple.getStruct(0, 2).getUTF8String(0).numBytes()).isZero();
        assertThat(tuple.getStruct(0, 2).isNullAt(1)).isTrue();

        byte[] nullToNothing = {0, 0, 0, 1, -1, -1, -1, -1, 0, 0, 0, 0};
        UnsafeRow map = decode(DataTypes.mapOf(DataTypes.TEXT, DataTypes.DECIMAL), nullToNothing);
        assertThat(map.getMap(0).keyArray().isNullAt(0)).isTrue();
        assertThat(map.getMap(0).valueArray().isNullAt(0)).isTrue();
    }

    private static void refuses(DataType inTheTable, String inSpark, String message) {
        org.apache.spark.sql.types.DataType wanted = org.apache.spark.sql.types.DataType.fromDDL(inSpark);
        assertThatThrownBy(() -> CellDecoder.of(inTheTable, wanted)).as(inSpark).hasMessage(message);
    }

    /** A table that was recreated after Spark read its schema. */
    @Test
    void refusesTypesThatSparkDoesNotExpect() {
        String reload = ": the table has changed since Spark read its schema; read the table again";
        refuses(
                DataTypes.BIGINT,
                "INT",
                "is int in Spark's schema, and bigint in the table, which is bigint in Spark" + reload);
        refuses(
                DataTypes.BIGINT,
                "STRING",
                "is string in Spark's schema, and bigint in the table, which is bigint in Spark" + reload);
        refuses(
                DataTypes.TEXT,
                "INT",
                "is int in Spark's schema, and text in the table, which is string in Spark" + reload);
        refuses(
                DataTypes.listOf(DataTypes.BIGINT),
                "ARRAY<INT>",
                "is array<int> in Spark's schema, and list<bigint> in the table, which is array<bigint> in Spark"
                        + reload);
        for (DataType type : List.of(
                DataTypes.INT,
                DataTypes.listOf(DataTypes.TEXT),
                DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT),
                DataTypes.tupleOf(DataTypes.INT),
                DataTypes.vectorOf(DataTypes.FLOAT, 2))) {
            for (String other : List.of(
                    "STRING",
                    "ARRAY<INT>",
                    "MAP<INT, INT>",
                    "MAP<STRING, STRING>",
                    "STRUCT<`0`: STRING>",
                    "STRUCT<`1`: INT>",
                    "DECIMAL(38, 0)")) {
                assertThatThrownBy(() -> CellDecoder.of(type, org.apache.spark.sql.types.DataType.fromDDL(other)))
                        .as(type + " as " + other)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageEndingWith(reload);
            }
        }
    }

    @Test
    void refusesFieldsThatAUdtNoLongerHas() {
        DataType point = new UserDefinedTypeBuilder("ks", "point")
                .withField("x", DataTypes.INT)
                .withField("renamed", DataTypes.INT)
                .build();
        refuses(
                point,
                "STRUCT<x: INT, y: INT>",
                "is struct<x:int,y:int> in Spark's schema, and ks.point in the table, which is struct<x:int,renamed:int> in"
                        + " Spark: the table has changed since Spark read its schema; read the table again");
    }
}
