package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Statements of arbitrary text. The build runs the stored inputs; scripts/fuzz.sh searches for others. */
class CqlFuzzTest {
    private static final String TOKEN = " token ( k ) > ? and token ( k ) < = ?";

    /** A condition on the token is added between the tokens of the query, and nothing else changes. */
    @FuzzTest
    void queries(byte[] data) {
        String cql = CqlText.bare(new String(data, StandardCharsets.UTF_8));
        assertThat(CqlText.bare(cql).length()).isLessThanOrEqualTo(cql.length());
        CqlText.hasLimit(cql);
        CqlText.hasAlias(cql);
        CqlText.hasGroupBy(cql);
        assertThat(CqlText.maxLaterPageRows(cql)).isGreaterThanOrEqualTo(-1);
        String words = new CqlStatement(cql).words();
        String split = new CqlStatement(CqlText.withToken(cql, List.of("k"))).words();
        assertThat(split.length() - words.length()).isBetween(TOKEN.length(), TOKEN.length() + " where ".length());
        int at = split.indexOf(TOKEN.strip());
        assertThat(at).isNotNegative();
    }

    @FuzzTest
    void statements(byte[] data) {
        CqlStatement statement = new CqlStatement(new String(data, StandardCharsets.UTF_8));
        for (int marker = 0; marker < statement.markers(); marker++) {
            assertThat(statement.marker(marker)).isNotNull();
        }
        assertThat(statement.writeTimeMarker()).isLessThan(Math.max(1, statement.markers()));
        statement.isIdempotent(List.of("k"));
        statement.mayHaveSeveralPartitions();
        statement.isConditional();
        statement.mayWrite("k");
    }
}
