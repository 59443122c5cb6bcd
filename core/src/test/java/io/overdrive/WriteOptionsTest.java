package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class WriteOptionsTest {
    private static void refuses(Consumer<WriteOptions.Builder> setting, String message) {
        WriteOptions.Builder builder = WriteOptions.into("ks", "t");
        setting.accept(builder);
        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessage(message);
    }

    @Test
    void refusesNumbersOutOfRangeAndNamesTheRange() {
        refuses(b -> b.batchBytes(0), "batchBytes is 0, must be 1 to 16777216");
        refuses(b -> b.batchBytes(1L << 40), "batchBytes is 1099511627776, must be 1 to 16777216");
        refuses(b -> b.batchRows(65536), "batchRows is 65536, must be 1 to 65535");
        refuses(b -> b.groupingMemory(1000), "groupingMemory is 1000, must be 1048576 or more");
        refuses(b -> b.inFlightRequests(0), "inFlightRequests is 0, must be 1 to 8000");
        refuses(b -> b.inFlightBytes(1023), "inFlightBytes is 1023, must be 1024 or more");
        refuses(b -> b.rowsPerSecond(0), "rowsPerSecond is 0, must be 1 or more");
        refuses(b -> b.bytesPerSecond(-1), "bytesPerSecond is -1, must be 1 or more");
        refuses(b -> b.maxAttempts(0), "maxAttempts is 0, must be 1 to 1000");
        refuses(b -> b.ttl(-1), "ttl is -1, must be 0 to 630720000");
        refuses(
                b -> b.timestamp(Long.MAX_VALUE - 5), // those of later rows would begin again at the other end
                "timestamp is 9223372036854775802, must be -4611686018427387904 to 4611686018427387904");
        refuses(b -> b.requestTimeout(Duration.ZERO), "requestTimeout is 0 s, must be 0.001 to 86400 s");
    }

    @Test
    void refusesContradictoryValues() {
        refuses(
                b -> b.consistency(DefaultConsistencyLevel.LOCAL_SERIAL),
                "consistency is LOCAL_SERIAL, which is for conditional writes only");
        refuses(b -> b.ttl(1).rowTtl(), "ttl is given both for the run and for each row: choose one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WriteOptions.statement("INSERT INTO t (a) VALUES (:a)")
                        .ttl(5)
                        .build())
                .withMessage(
                        "ttl and timestamp do not apply to your own statement: write USING TTL … AND TIMESTAMP … into"
                                + " it");
    }

    @Test
    void printsTheOriginOfEachSetting() {
        WriteOptions options = WriteOptions.into("ks", "t")
                .batchRows(7)
                .grouping(Grouping.REPLICA_SET)
                .ttl(60)
                .build();
        assertThat(options.settings())
                .containsEntry("batchRows", "7 (user)")
                .containsEntry("grouping", "replica_set (user)")
                .containsEntry("ttl", "60 (user)")
                .containsEntry("batchBytes", "32768 (default)")
                .containsEntry("rowsPerSecond", "none (default)")
                .containsEntry("timestamp", "now (default)");
        assertThat(options).hasToString("ks.t " + options.settings());
    }

    @Test
    void printsThatTheUserSetAValueEvenIfItIsTheDefault() {
        assertThat(WriteOptions.into("ks", "t").batchRows(1000).build().settings())
                .containsEntry("batchRows", "1000 (user)");
    }

    @Test
    void copiesTheCallersList() {
        java.util.List<String> names = new java.util.ArrayList<>(java.util.List.of("a"));
        WriteOptions options = WriteOptions.into("ks", "t").columns(names).build();
        names.add("b");
        assertThat(options.columns()).containsExactly("a");
    }
}
