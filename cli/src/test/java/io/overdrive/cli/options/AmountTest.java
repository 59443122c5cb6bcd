package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.TypeConversionException;

class AmountTest {
    @ParameterizedTest
    @CsvSource({"64KB, 65536", "1.5GB, 1610612736", "128MiB, 134217728", "17, 17", "20 MB/s, 20971520", "2k, 2048"})
    void readsSizes(String text, long bytes) {
        assertThat(new Amount.Bytes().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"20k, 20000", "1.5M, 1500000", "500, 500", "9007199254740993, 9007199254740993", "0.001k, 1"})
    void readsCounts(String text, long count) {
        assertThat(new Amount.Count().convert(text)).isEqualTo(count);
    }

    @Test
    void refusesTextThatIsNoAmount() {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new Amount.Count().convert("20KB"))
                .withMessage("'20KB' is not a number such as 500, 20k or 1.5M");
        for (String part : new String[] {"1.5", "0.5", "1.0005k"}) {
            assertThatExceptionOfType(TypeConversionException.class)
                    .isThrownBy(() -> new Amount.Count().convert(part))
                    .withMessage("'" + part + "' is not a whole number");
        }
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new Amount.Count().convert("9223372036854775808"))
                .withMessage("'9223372036854775808' is too large");
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new Amount.Bytes().convert("-1"))
                .withMessageContaining("is not a size");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "999, 999", "1000, 1.00k", "12345, 12.3k", "999999, 1.00M", "4560000, 4.56M", "123456789, 123M"
    })
    void shortensNumbers(double number, String text) {
        assertThat(Amount.brief(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"12, 12 B", "2500, 2.50 kB", "19000000, 19.0 MB"})
    void writesBytes(double number, String text) {
        assertThat(Amount.bytes(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "850, 850 us",
        "12300, 12.3 ms",
        "450000, 450 ms",
        "4500000, 4.5 s",
        "123000000, 2:03 min",
        "3723000000, 1:02:03 h"
    })
    void writesDurations(long micros, String text) {
        assertThat(Amount.duration(Duration.ofNanos(1000 * micros))).isEqualTo(text);
    }
}
