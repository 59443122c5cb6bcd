package io.overdrive.bench.tune;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.CqlType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OtherKeysTest {
    private static TableSchema table(DataType... partitionKey) {
        List<Column> columns = new ArrayList<>();
        for (DataType type : partitionKey) {
            columns.add(new Column("k" + columns.size(), type, Role.PARTITION_KEY));
        }
        columns.add(new Column("c", DataTypes.INT, Role.CLUSTERING));
        return new TableSchema("ks", "t", columns);
    }

    @Test
    void takesAColumnOfThePartitionKeyWithEnoughValues() {
        assertThat(OtherKeys.of(table(DataTypes.TINYINT, DataTypes.INT)).map(OtherKeys::column))
                .hasValue("k1");
        assertThat(OtherKeys.of(table(DataTypes.BOOLEAN, DataTypes.INET))).isEmpty();
    }

    @Test
    void copiesHaveOtherKeysOfTheSameLength() {
        OtherKeys keys = new OtherKeys("k", CqlType.BIGINT);
        Set<ByteBuffer> seen = new HashSet<>();
        for (long key = 0; key < 100; key++) {
            for (long copy = 0; copy < 100; copy++) {
                byte[] value = ByteBuffer.allocate(8).putLong(key).array();
                seen.add(ByteBuffer.wrap(keys.value(value, copy)));
            }
        }
        assertThat(seen).hasSize(100 * 100).allSatisfy(key -> assertThat(key.remaining())
                .isEqualTo(8));
    }

    @Test
    void copyZeroIsTheKeyItself() {
        byte[] value = {1, 2, 3, 4};
        assertThat(new OtherKeys("k", CqlType.INT).value(value, 0)).isEqualTo(value);
    }

    @Test
    void textsGetASuffix() {
        byte[] value = "JFK".getBytes(StandardCharsets.UTF_8);
        assertThat(new OtherKeys("k", CqlType.TEXT).value(value, 37)).asString().isEqualTo("JFK~11");
    }

    @Test
    void aTimeuuidKeepsItsVersionAndItsTime() {
        UUID uuid = UUID.fromString("8ac6d1dc-fbeb-11e9-8f0b-362b9e155667");
        byte[] value = ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
        ByteBuffer other = ByteBuffer.wrap(new OtherKeys("k", CqlType.TIMEUUID).value(value, 5));
        UUID changed = new UUID(other.getLong(), other.getLong());
        assertThat(changed).isNotEqualTo(uuid);
        assertThat(changed.version()).isEqualTo(1);
        assertThat(changed.variant()).isEqualTo(uuid.variant());
        assertThat(changed.timestamp()).isEqualTo(uuid.timestamp());
    }
}
