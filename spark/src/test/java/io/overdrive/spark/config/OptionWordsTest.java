package io.overdrive.spark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.NamedOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OptionWordsTest {
    /** Options of jobs with files, which Spark does not run. */
    private static final Set<JobOption> OF_OTHER_JOBS = EnumSet.complementOf(EnumSet.of(
            JobOption.ANY_HOST_NAME,
            JobOption.CONTACT_POINTS,
            JobOption.FROM_SSTABLES,
            JobOption.GUARD,
            JobOption.JMX,
            JobOption.SIDECAR,
            JobOption.SIDECAR_TLS,
            JobOption.SSH,
            JobOption.SSTABLES,
            JobOption.SSTABLE_DIRECTORY));

    /** Spark reads passwords from its settings, and finds out sizes by measuring. */
    private static final List<NamedOption> NOT_IN_SPARK = List.of(
            WriteSetting.IN_FLIGHT_BYTES,
            ScanSetting.SPLITS_IN_FLIGHT,
            ScanSetting.PAGE_BYTES,
            ScanSetting.PAGE_MEMORY,
            ConnectSetting.PASSWORD_FILE,
            ConnectSetting.PASSWORD_COMMAND,
            ConnectSetting.TLS_PASSWORD_FILE,
            ConnectSetting.TLS_PASSWORD_COMMAND);

    @Test
    void eachOptionThatAMessageCanNameHasAWordHere() {
        List<NamedOption> all = Stream.<List<? extends NamedOption>>of(
                        WriteSetting.ALL, ScanSetting.ALL, ConnectSetting.ALL, List.of(JobOption.values()))
                .<NamedOption>flatMap(List::stream)
                .filter(option -> !NOT_IN_SPARK.contains(option) && !OF_OTHER_JOBS.contains(option))
                .toList();
        assertThat(all).hasSizeGreaterThan(40).allSatisfy(option -> assertThat(OptionWords.find(option))
                .as(option.javaName())
                .isNotNull());
    }

    @Test
    void readsAndWritesHaveTheirOwnSettings() {
        assertThat(OptionWords.of(ScanSetting.CONSISTENCY)).isEqualTo("option \"readConsistency\"");
        assertThat(OptionWords.of(WriteSetting.CONSISTENCY)).isEqualTo("option \"writeConsistency\"");
        assertThat(OptionWords.of(ScanSetting.PATIENCE)).isEqualTo("option \"patience\"");
        assertThat(OptionWords.of(WriteSetting.TIMESTAMP)).isEqualTo("option \"writetime\"");
        assertThat(OptionWords.of(JobOption.SSTABLE_DIRECTORY)).startsWith("none of the options \"sstables.jmx\",");
    }

    @Test
    void aWrongValueOfTheEngineIsNamedAsInSpark() {
        Settings batch = Settings.of(Map.of("batchBytes", "20000000"), Map.of());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> batch.setWrites(WriteOptions.into("ks", "t")::set))
                .withMessage("option \"batchBytes\" is 20000000, must be 1 to 16777216");
        Settings attempts = Settings.of(Map.of("maxAttempts", "1001"), Map.of());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> attempts.setReads(ScanOptions.from("ks", "t")::set))
                .withMessage("option \"maxAttempts\" is 1001, must be 1 to 1000");
    }

    @Test
    void failuresOfPlansAndTasksNameOptionsAsInSpark() {
        OverdriveException failure = new OverdriveException(
                Kind.SCHEMA, words -> words.of(ScanSetting.CONSISTENCY) + " TWO needs 2 replicas");
        assertThat(Failures.ofSpark(failure)).hasMessage("option \"readConsistency\" TWO needs 2 replicas");
        assertThat(Failures.named(failure))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("option \"readConsistency\" TWO needs 2 replicas");
        OverdriveException other = new OverdriveException(Kind.SCHEMA, "no such table");
        assertThat(Failures.named(other)).isSameAs(other);
    }
}
