package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PreparedCqlTest {
    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("a", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("B", DataTypes.TEXT, Role.PARTITION_KEY),
                    new Column("v", DataTypes.DOUBLE, Role.REGULAR)));

    private static PreparedCql prepared(ProtocolVersion version, String... markers) {
        ScriptedSession server = new ScriptedSession(TABLE).version(version).accept("cql", List.of(markers), List.of());
        return PreparedCql.of(
                Objects.requireNonNull(new Preparing(server.session()).tryPrepare("cql")), server.session());
    }

    @Test
    void hasTheMarkersAndWhichOfThemAreThePartitionKey() {
        PreparedCql prepared = prepared(ProtocolVersion.V5, "B", "v", "a");
        assertThat(prepared.text()).isEqualTo("cql");
        assertThat(prepared.markerNames()).containsExactly("B", "v", "a");
        assertThat(prepared.markerTypes()).containsExactly(DataTypes.TEXT, DataTypes.DOUBLE, DataTypes.INT);
        assertThat(prepared.partitionMarkers()).containsExactly(2, 0);
        assertThat(prepared(ProtocolVersion.V5, "B", "v").partitionMarkers()).isEmpty();
    }

    @Test
    void saysWhetherTheKeyOfItsTableHasSets() {
        assertThat(prepared(ProtocolVersion.V5, "a", "B").hasCollectionKey()).isFalse();
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("a", DataTypes.INT, Role.PARTITION_KEY),
                        new Column(
                                "k", DataTypes.frozenListOf(DataTypes.frozenSetOf(DataTypes.INT)), Role.CLUSTERING)));
        ScriptedSession server = new ScriptedSession(table).accept("cql", List.of("a"), List.of());
        assertThat(PreparedCql.of(
                                Objects.requireNonNull(new Preparing(server.session()).tryPrepare("cql")),
                                server.session())
                        .hasCollectionKey())
                .isTrue();
    }

    @Test
    void hasAResultMetadataIdFromVersion5On() {
        assertThat(prepared(ProtocolVersion.V4).resultMetadataId()).isEmpty();
        assertThat(prepared(ProtocolVersion.V5).resultMetadataId()).isEqualTo(ScriptedSession.RESULT_METADATA_ID);
        assertThat(prepared(ProtocolVersion.V4).hasId(new byte[] {1, 2, 3})).isTrue();
        assertThat(prepared(ProtocolVersion.V4).hasId(new byte[] {1, 2, 4})).isFalse();
    }

    @Test
    void showsKeysAsConditions() {
        Bytes values = new Bytes(16);
        values.putInt(4);
        values.putInt(-7);
        values.putInt(4);
        values.put("it's".getBytes(StandardCharsets.UTF_8));
        assertThat(prepared(ProtocolVersion.V5, "a", "B").conditions(values.toByteArray()))
                .isEqualTo("a = -7 AND \"B\" = 'it''s'");
    }

    @Test
    void showsInvalidValuesInHexAndShortensLongOnes() {
        Bytes values = new Bytes(16);
        values.putInt(3);
        values.put(new byte[] {1, 2, 3});
        values.putInt(200);
        values.put("x".repeat(200).getBytes(StandardCharsets.UTF_8));
        assertThat(prepared(ProtocolVersion.V5, "a", "B").conditions(values.toByteArray()))
                .isEqualTo("a = 0x010203 AND \"B\" = '" + "x".repeat(99) + "...");
    }
}
