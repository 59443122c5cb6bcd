package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.spark.config.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SstableReadTest {
    @Test
    void rowsOfAnRddAreNotTakenFromTheClusterIfTheSettingIsGiven() {
        Settings settings = Settings.of(Map.of("from.sstables", "/snapshot"), Map.of());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RddScan.count(settings, "ks", "t", ""))
                .withMessage("\"from.sstables\" is for reads of DataFrames only: set it as option of such a read");
    }
}
