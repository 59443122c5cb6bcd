package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Repetition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadRunTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0    | 0    | 0 rows were written before, and 0 records rejected",
                "1    | 2    | 1 row was written before, and 2 records rejected",
                "2000 | 1    | 2,000 rows were written before, and 1 record rejected",
            })
    void saysHowManyRowsWereWrittenBefore(long written, long rejected, String text) {
        LoadRun run = new LoadRun(
                "20260131-134500-abcd",
                /* isResumed */ true,
                /* startsOver */ false,
                written,
                rejected,
                Repetition.HARMLESS);
        assertThat(run.before().inJava()).isEqualTo(text);
    }
}
