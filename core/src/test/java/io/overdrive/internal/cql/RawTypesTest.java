package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RawType.RawCustom;
import com.datastax.oss.protocol.internal.response.result.RawType.RawList;
import com.datastax.oss.protocol.internal.response.result.RawType.RawMap;
import com.datastax.oss.protocol.internal.response.result.RawType.RawSet;
import com.datastax.oss.protocol.internal.response.result.RawType.RawTuple;
import com.datastax.oss.protocol.internal.response.result.RawType.RawUdt;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RawTypesTest {
    private static final RawType INT = primitive(ProtocolConstants.DataType.INT);
    private static final RawType BIGINT = primitive(ProtocolConstants.DataType.BIGINT);
    private static final RawType VARCHAR = primitive(ProtocolConstants.DataType.VARCHAR);
    private static final UserDefinedType PAIR = new UserDefinedTypeBuilder("ks", "pair")
            .withField("a", DataTypes.INT)
            .withField("b", DataTypes.TEXT)
            .build();

    private static RawType primitive(int code) {
        return Objects.requireNonNull(RawType.PRIMITIVES.get(code));
    }

    private static RawType udt(String first, RawType firstType, String second, RawType secondType) {
        Map<String, RawType> fields = new LinkedHashMap<>();
        fields.put(first, firstType);
        fields.put(second, secondType);
        return new RawUdt("ks", "pair", fields);
    }

    private static boolean match(DataType type, RawType answer) {
        return RawTypes.match(List.of(type), List.of(new ColumnSpec("ks", "t", "c", 0, answer)));
    }

    @Test
    void comparesTypesOfOneWord() {
        assertThat(match(DataTypes.INT, INT)).isTrue();
        assertThat(match(DataTypes.TEXT, VARCHAR)).isTrue();
        assertThat(match(DataTypes.INT, primitive(ProtocolConstants.DataType.FLOAT)))
                .isFalse();
        assertThat(RawTypes.match(List.of(DataTypes.INT), List.of())).isFalse();
    }

    @Test
    void comparesTypesWithinTypes() {
        assertThat(match(DataTypes.listOf(DataTypes.INT), new RawList(INT))).isTrue();
        assertThat(match(DataTypes.frozenListOf(DataTypes.INT), new RawList(BIGINT)))
                .isFalse();
        assertThat(match(DataTypes.setOf(DataTypes.INT), new RawSet(INT))).isTrue();
        assertThat(match(DataTypes.setOf(DataTypes.INT), new RawList(INT))).isFalse();
        assertThat(match(DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT), new RawMap(VARCHAR, INT)))
                .isTrue();
        assertThat(match(DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT), new RawMap(VARCHAR, BIGINT)))
                .isFalse();
        assertThat(match(DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT), new RawTuple(List.of(INT, VARCHAR))))
                .isTrue();
        assertThat(match(DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT), new RawTuple(List.of(INT))))
                .isFalse();
    }

    @Test
    void comparesTypesThatOnlyHaveTheNameOfAClass() {
        String vector = "org.apache.cassandra.db.marshal.VectorType(org.apache.cassandra.db.marshal.FloatType , 3)";
        assertThat(match(DataTypes.vectorOf(DataTypes.FLOAT, 3), new RawCustom(vector)))
                .isTrue();
        assertThat(match(DataTypes.vectorOf(DataTypes.FLOAT, 4), new RawCustom(vector)))
                .isFalse();
        assertThat(match(DataTypes.DURATION, new RawCustom("org.apache.cassandra.db.marshal.DurationType")))
                .isTrue();
        assertThat(match(DataTypes.DURATION, primitive(ProtocolConstants.DataType.DURATION)))
                .isTrue();
        assertThat(match(DataTypes.BLOB, new RawCustom("x.Y"))).isFalse();
    }

    /** A value of fewer fields is one of the type still. */
    @Test
    void letsFieldsBeAddedToUserDefinedTypes() {
        assertThat(match(PAIR, udt("a", INT, "b", VARCHAR))).isTrue();
        assertThat(match(PAIR, udt("b", INT, "a", VARCHAR))).isFalse();
        assertThat(match(PAIR, udt("a", BIGINT, "b", VARCHAR))).isFalse();
        Map<String, RawType> more = new LinkedHashMap<>();
        more.put("a", INT);
        more.put("b", VARCHAR);
        more.put("c", INT);
        assertThat(match(PAIR, new RawUdt("ks", "pair", more))).isTrue();
        more.remove("b");
        more.remove("c");
        assertThat(match(PAIR, new RawUdt("ks", "pair", more))).isFalse();
    }
}
