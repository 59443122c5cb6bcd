package io.overdrive.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CqlTypeTest {
    private static final UserDefinedType UDT =
            new UserDefinedTypeBuilder("ks", "u").withField("a", DataTypes.INT).build();

    @Test
    void knowsEveryTypeOfTheDriver() throws ReflectiveOperationException {
        List<CqlType> found = new ArrayList<>();
        for (Field field : DataTypes.class.getFields()) {
            CqlType type = CqlType.of((DataType) field.get(null));
            assertThat(type).hasToString(field.getName());
            found.add(type);
        }
        found.add(CqlType.of(DataTypes.listOf(DataTypes.INT)));
        found.add(CqlType.of(DataTypes.setOf(DataTypes.INT)));
        found.add(CqlType.of(DataTypes.mapOf(DataTypes.INT, DataTypes.INT)));
        found.add(CqlType.of(DataTypes.tupleOf(DataTypes.INT)));
        found.add(CqlType.of(UDT));
        found.add(CqlType.of(DataTypes.vectorOf(DataTypes.INT, 3)));
        found.add(CqlType.of(DataTypes.custom("org.apache.cassandra.db.marshal.EmptyType")));
        assertThat(found).containsExactlyInAnyOrder(CqlType.values());
    }

    /** Cassandra 5.0, {@code AbstractType.valueLengthIfFixed} of each type. */
    @ParameterizedTest
    @CsvSource({
        "BOOLEAN, 1", "INT, 4", "FLOAT, 4", "BIGINT, 8", "DOUBLE, 8", "TIMESTAMP, 8", "UUID, 16", "TIMEUUID, 16",
        "TINYINT, -1", "SMALLINT, -1", "DATE, -1", "TIME, -1", "TEXT, -1", "INET, -1", "COUNTER, -1", "VARINT, -1"
    })
    void knowsWhichElementsOfVectorsHaveNoLength(String name, int bytes) throws ReflectiveOperationException {
        DataType type = (DataType) DataTypes.class.getField(name).get(null);
        assertThat(CqlType.elementBytes(type)).isEqualTo(bytes);
        assertThat(CqlType.elementBytes(DataTypes.vectorOf(type, 3))).isEqualTo(bytes < 0 ? -1 : 3 * bytes);
    }

    @Test
    void refusesVectorsThatNoArrayHolds() {
        DataType large = DataTypes.vectorOf(DataTypes.vectorOf(DataTypes.BIGINT, 1 << 16), 1 << 16);
        assertThatThrownBy(() -> CqlType.elementBytes(large)).isInstanceOf(ArithmeticException.class);
    }
}
