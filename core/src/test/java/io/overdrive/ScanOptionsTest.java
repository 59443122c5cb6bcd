package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ScanOptionsTest {
    private static void refuses(Consumer<ScanOptions.Builder> setting, String message) {
        ScanOptions.Builder builder = ScanOptions.from("ks", "t");
        setting.accept(builder);
        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessage(message);
    }

    @Test
    void refusesNumbersOutOfRangeAndNamesTheRange() {
        refuses(b -> b.splitBytes(0), "splitBytes is 0, must be 1 or more");
        refuses(b -> b.pageBytes(1023), "pageBytes is 1023, must be 1024 to 67108864");
        refuses(b -> b.pageBytes(1L << 40), "pageBytes is 1099511627776, must be 1024 to 67108864");
        refuses(b -> b.pageRows(0), "pageRows is 0, must be 1 to 1000000");
        refuses(b -> b.splitsInFlight(4097), "splitsInFlight is 4097, must be 1 to 4096");
        refuses(b -> b.pageMemory(1 << 10), "pageMemory is 1024, must be 1048576 or more");
        refuses(b -> b.rowsPerSecond(0), "rowsPerSecond is 0, must be 1 or more");
        refuses(b -> b.bytesPerSecond(-1), "bytesPerSecond is -1, must be 1 or more");
        refuses(b -> b.maxAttempts(1001), "maxAttempts is 1001, must be 1 to 1000");
        refuses(b -> b.requestTimeout(Duration.ofDays(2)), "requestTimeout is 172800 s, must be 0.001 to 86400 s");
        refuses(b -> b.patience(Duration.ofMillis(-1)), "patience is -0.001 s, must be 0 to 86400 s");
    }

    @Test
    void refusesColumnsAndConditionsBesideAQuery() {
        for (ScanOptions.Builder builder : List.of(
                ScanOptions.query("SELECT a FROM t").columns("a"),
                ScanOptions.query("SELECT a FROM t").where("a > 1"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(builder::build)
                    .withMessage("columns and where do not apply to your own query: write them into it");
        }
    }

    @Test
    void mergesTokenRangesAndKeepsThem() {
        ScanOptions options = ScanOptions.from("ks", "t")
                .tokenRanges(List.of(new Split.Range(5, 9), new Split.Range(-1, 6), new Split.Range(20, 21)))
                .build();
        assertThat(options.tokenRanges()).containsExactly(new Split.Range(-1, 9), new Split.Range(20, 21));
        assertThat(options.hasWholeRing()).isFalse();
        assertThat(options.toBuilder().build().tokenRanges()).isEqualTo(options.tokenRanges());
        assertThat(ScanOptions.from("ks", "t").build().hasWholeRing()).isTrue();
        assertThat(ScanOptions.query("SELECT a FROM t")
                        .tokenRanges(List.of(new Split.Range(0, Long.MAX_VALUE), new Split.Range(Long.MIN_VALUE, 7)))
                        .build()
                        .hasWholeRing())
                .isTrue();
        refuses(b -> b.tokenRanges(List.of()), "tokenRanges has no range, and no row would be read: give one or more");
    }

    @Test
    void printsTheOriginOfEachSetting() {
        ScanOptions options = ScanOptions.from("ks", "t")
                .pageRows(7)
                .patience(Duration.ZERO)
                .consistency(DefaultConsistencyLevel.QUORUM)
                .build();
        assertThat(options.settings())
                .containsEntry("pageRows", "7 (user)")
                .containsEntry("patience", "PT0S (user)")
                .containsEntry("consistency", "QUORUM (user)")
                .containsEntry("pageBytes", "524288 (default)")
                .containsEntry("rowsPerSecond", "none (default)")
                .containsEntry("requestTimeout", "PT15S (default)");
        assertThat(options).hasToString("ks.t " + options.settings());
        assertThat(ScanOptions.query("SELECT a FROM t").build().toString()).startsWith("SELECT a FROM t {splitBytes=");
    }

    @Test
    void readsAtALevelThatOverlapsWithThatOfWrites() {
        assertThat(ScanOptions.from("ks", "t").build().consistency())
                .isEqualTo(WriteOptions.into("ks", "t").build().consistency())
                .isEqualTo(DefaultConsistencyLevel.LOCAL_QUORUM);
    }

    @Test
    void acceptsTheBoundsThemselves() {
        ScanOptions options = ScanOptions.from("ks", "t")
                .pageBytes(64 << 20)
                .pageRows(1)
                .splitsInFlight(4096)
                .pageMemory(1 << 20)
                .requestTimeout(Duration.ofMillis(1))
                .patience(Duration.ofDays(1))
                .maxAttempts(1)
                .build();
        assertThat(options.pageBytes()).isEqualTo(64 << 20);
        assertThat(options.pageRows()).isEqualTo(1);
        assertThat(options.splitsInFlight()).isEqualTo(4096);
        assertThat(options.pageMemory()).isEqualTo(1 << 20);
        assertThat(options.requestTimeout()).isEqualTo(Duration.ofMillis(1));
        assertThat(options.patience()).isEqualTo(Duration.ofDays(1));
        assertThat(options.maxAttempts()).isEqualTo(1);
    }

    @Test
    void copiesTheCallersList() {
        List<String> names = new ArrayList<>(List.of("a"));
        ScanOptions options = ScanOptions.from("ks", "t").columns(names).build();
        names.add("b");
        assertThat(options.columns()).containsExactly("a");
    }

    @Test
    void namesTheQueryIfATableIsNeeded() {
        ScanOptions options = ScanOptions.query("SELECT a FROM t").build();
        assertThatIllegalArgumentException()
                .isThrownBy(options::tableOfTarget)
                .withMessage("this needs a table, and the options have a query: SELECT a FROM t");
    }

    @Test
    void refusesALevelForWrites() {
        assertThatThrownBy(() -> ScanOptions.from("ks", "t")
                        .consistency(DefaultConsistencyLevel.ANY)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "consistency is ANY, which is for writes: choose LOCAL_ONE, LOCAL_QUORUM or another level for reads");
    }
}
