package io.overdrive.cli.options;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses and formats numbers with a unit: {@code 64KB}, {@code 1.5GB}, {@code 20k}. Stateless. */
public final class Amount {
    private static final Pattern SHAPE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([kKmMgGtT]?)(i?[bB])?(?:/s)?");

    private Amount() {}

    /** Bytes: k, M, G and T are powers of 1024. */
    public static final class Bytes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return parse(text, 1024, "a size such as 64KB, 128MB or 1.5GB");
        }
    }

    /** Counts: k, M and G are powers of 1000. */
    public static final class Count implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return parse(text, 1000, "a number such as 500, 20k or 1.5M");
        }
    }

    /** Spans of time. */
    public static final class Time implements ITypeConverter<Duration> {
        private static final Pattern SHAPE = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

        @Override
        public Duration convert(String text) {
            Matcher m = SHAPE.matcher(text.strip());
            if (!m.matches()) {
                throw new TypeConversionException("'" + text + "' is not a time such as 500ms, 60s, 5m or 1h");
            }
            long n = Long.parseLong(m.group(1));
            return switch (m.group(2)) {
                case "ms" -> Duration.ofMillis(n);
                case "s" -> Duration.ofSeconds(n);
                case "m" -> Duration.ofMinutes(n);
                default -> Duration.ofHours(n);
            };
        }
    }

    /** Seconds, to the millisecond. */
    public static final class Seconds implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            double seconds;
            try {
                seconds = Double.parseDouble(text.strip());
            } catch (NumberFormatException e) {
                seconds = Double.NaN;
            }
            if (Double.isNaN(seconds)) {
                throw new TypeConversionException("'" + text + "' is not a number of seconds such as 300 or 0.5");
            }
            return Duration.ofMillis(Math.round(seconds * 1000));
        }
    }

    private static long parse(String text, int base, String expected) {
        Matcher m = SHAPE.matcher(text.strip());
        if (!m.matches() || (base == 1000 && m.group(3) != null)) {
            throw new TypeConversionException("'" + text + "' is not " + expected);
        }
        int power = " kmgt".indexOf((m.group(2) + " ").toLowerCase(Locale.ROOT).charAt(0));
        BigDecimal value =
                new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(base).pow(power));
        if (value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new TypeConversionException("'" + text + "' is too large");
        }
        if (base == 1000 && value.stripTrailingZeros().scale() > 0) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
        return value.longValue();
    }

    /** {@code 1,234,567}. */
    public static String count(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }

    /** As {@link #count(long)}, with the noun in the singular or plural: {@code 1 retry}, {@code 2 retries}. */
    public static String count(long n, String noun) {
        String plural = noun.endsWith("y") && !noun.endsWith("ey")
                ? noun.substring(0, noun.length() - 1) + "ies"
                : noun + (noun.endsWith("ch") ? "es" : "s");
        return count(n) + " " + (n == 1 ? noun : plural);
    }

    /** Three digits: {@code 987}, {@code 12.3k}, {@code 4.56M}. */
    public static String brief(double n) {
        String[] units = {"", "k", "M", "G", "T"};
        int unit = 0;
        while (n >= 999.5 && unit < units.length - 1) {
            n /= 1000;
            unit++;
        }
        String shape = unit == 0 || n >= 99.95 ? "%.0f%s" : n >= 9.995 ? "%.1f%s" : "%.2f%s";
        return String.format(Locale.ROOT, shape, n, units[unit]);
    }

    /** {@code 12.3 MB}; MB are a million bytes. */
    public static String bytes(double n) {
        String text = brief(n);
        char last = text.charAt(text.length() - 1);
        return Character.isDigit(last)
                ? text + " B"
                : text.substring(0, text.length() - 1) + " " + (last == 'k' ? "kB" : last + "B");
    }

    /** {@code 12.3 MB/s}. */
    public static String rate(double bytes, Duration d) {
        return bytes(perSecond(bytes, d)) + "/s";
    }

    public static double perSecond(double n, Duration d) {
        return n / Math.max(1e-9, d.toNanos() / 1e9);
    }

    /** {@code 850 us}, {@code 12.3 ms}, {@code 4.5 s}, {@code 2:03 min}, {@code 1:02:03 h}. */
    public static String duration(Duration d) {
        long micros = d.toNanos() / 1000;
        if (micros < 1000) {
            return micros + " us";
        }
        if (micros < 1_000_000) {
            return String.format(Locale.ROOT, micros < 100_000 ? "%.1f ms" : "%.0f ms", micros / 1e3);
        }
        long seconds = d.toSeconds();
        if (seconds < 100) {
            return String.format(Locale.ROOT, "%.1f s", micros / 1e6);
        }
        return seconds < 3600
                ? String.format(Locale.ROOT, "%d:%02d min", seconds / 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d:%02d h", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
}
