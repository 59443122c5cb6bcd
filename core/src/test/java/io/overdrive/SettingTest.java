package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingTest {
    private static final List<Setting<?>> ALL = new ArrayList<>(WriteSetting.ALL);

    static {
        ALL.addAll(ScanSetting.ALL);
    }

    private static <T extends Comparable<? super T>> void checkDefault(Setting<T> setting) {
        T value = setting.byDefault();
        if (value != null) {
            assertThatCode(() -> setting.check(value)).as(setting.name()).doesNotThrowAnyException();
        }
    }

    @Test
    void everyDefaultIsWithinItsBounds() {
        ALL.forEach(SettingTest::checkDefault);
    }

    @Test
    void everySettingHasANameAHelpAndADefaultInWords() {
        for (Setting<?> setting : ALL) {
            assertThat(setting.name()).matches("[a-z][A-Za-z]+");
            assertThat(setting.help()).endsWith(".");
            assertThat(setting.defaultText()).isNotEmpty().doesNotEndWith(".");
        }
        assertThat(WriteSetting.ALL).extracting(Setting::name).doesNotHaveDuplicates();
        assertThat(ScanSetting.ALL).extracting(Setting::name).doesNotHaveDuplicates();
    }

    @Test
    void describesDefaultsInTheUnitsOfTheCommandLine() {
        assertThat(WriteSetting.IN_FLIGHT_BYTES.defaultText()).startsWith("16MB");
        assertThat(ScanSetting.SPLIT_BYTES.defaultText()).isEqualTo("64MB");
        assertThat(WriteSetting.PATIENCE.defaultText()).isEqualTo("300");
        assertThat(WriteSetting.ROWS_PER_SECOND.defaultText()).isEqualTo("unlimited");
        assertThat(WriteSetting.CONSISTENCY.defaultText()).isEqualTo("LOCAL_QUORUM");
    }

    @Test
    void namesTheBoundsOfAValueThatIsOutsideThem() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WriteSetting.BATCH_ROWS.check(0L))
                .withMessage("batchRows is 0, must be 1 to 65535");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ScanSetting.SPLIT_BYTES.check(-5L))
                .withMessage("splitBytes is -5, must be 1 or more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WriteSetting.PATIENCE.check(Duration.ofMillis(-1500)))
                .withMessage("patience is -1.5 s, must be 0 to 86400 s");
    }

    @Test
    void refusesASettingOfOtherOptions() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WriteOptions.into("ks", "t").set(ScanSetting.PAGE_ROWS, 5L))
                .withMessageStartingWith("pageRows is not one of these settings: [grouping, batchBytes, ");
    }

    @Test
    void aBuilderTakesASettingAsItsSetterDoes() {
        assertThat(WriteOptions.into("ks", "t")
                        .set(WriteSetting.BATCH_ROWS, 7L)
                        .build()
                        .settings())
                .isEqualTo(WriteOptions.into("ks", "t").batchRows(7).build().settings());
    }

    @Test
    void aBuilderCanBeUsedForSeveralOptions() {
        WriteOptions.Builder builder = WriteOptions.into("ks", "t").batchRows(7);
        WriteOptions first = builder.build();
        WriteOptions second =
                builder.batchRows(8).grouping(Grouping.REPLICA_SET).build();
        WriteOptions third = builder.grouping(Grouping.PARTITION).build();
        assertThat(first.batchRows()).isEqualTo(7);
        assertThat(second.batchRows()).isEqualTo(8);
        assertThat(List.of(first.batchBytes(), second.batchBytes(), third.batchBytes()))
                .containsExactly(64 << 10, 32 << 10, 64 << 10);
    }
}
