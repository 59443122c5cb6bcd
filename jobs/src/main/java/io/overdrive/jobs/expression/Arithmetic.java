package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.jobs.expression.Functions.Body;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** The operations {@code + - * / %} of two values, by their types. Integers, varint and decimal stay exact. Stateless. */
final class Arithmetic {
    private static final MathContext QUOTIENT = MathContext.DECIMAL128;
    private static final int MAX_SCALES_APART = 10_000;
    private static final long NANOS_OF_MILLI = 1_000_000;
    private static final long NANOS_OF_DAY = Duration.ofDays(1).toNanos();

    /** @param gives type of the result */
    record Operation(Kind gives, Body body) {}

    private Arithmetic() {}

    /** The operation of two numbers of one type. */
    static Operation ofNumbers(String operator, Kind kind) {
        Body body =
                switch (kind) {
                    case INTEGER -> v -> integers(operator, (Long) v[0], (Long) v[1]);
                    case VARINT -> v -> varints(operator, (BigInteger) v[0], (BigInteger) v[1]);
                    case DECIMAL -> v -> decimals(operator, (BigDecimal) v[0], (BigDecimal) v[1]);
                    default -> v -> doubles(operator, (Double) v[0], (Double) v[1]);
                };
        return new Operation(kind, body);
    }

    private static Object integers(String operator, long a, long b) {
        requireDivisor(operator, b == 0);
        try {
            return switch (operator) {
                case "+" -> Math.addExact(a, b);
                case "-" -> Math.subtractExact(a, b);
                case "*" -> Math.multiplyExact(a, b);
                case "/" -> a == Long.MIN_VALUE && b == -1 ? Math.negateExact(a) : a / b;
                default -> a % b;
            };
        } catch (ArithmeticException e) {
            throw new BadValueException("is bigint, but " + a + " " + operator + " " + b + " is out of range");
        }
    }

    private static Object varints(String operator, BigInteger a, BigInteger b) {
        requireDivisor(operator, b.signum() == 0);
        return switch (operator) {
            case "+" -> a.add(b);
            case "-" -> a.subtract(b);
            case "*" -> a.multiply(b);
            case "/" -> a.divide(b);
            default -> a.remainder(b);
        };
    }

    private static Object decimals(String operator, BigDecimal a, BigDecimal b) {
        requireDivisor(operator, b.signum() == 0);
        if (!operator.equals("*") && Math.abs((long) a.scale() - b.scale()) > MAX_SCALES_APART) {
            throw new BadValueException("needs more than " + MAX_SCALES_APART + " digits, for values with the scales "
                    + a.scale() + " and " + b.scale());
        }
        return switch (operator) {
            case "+" -> a.add(b);
            case "-" -> a.subtract(b);
            case "*" -> a.multiply(b);
            case "/" -> quotient(a, b);
            default -> a.remainder(b);
        };
    }

    /** Exact if it has at most 34 digits, else rounded to as many; whole ones without an exponent. */
    private static BigDecimal quotient(BigDecimal a, BigDecimal b) {
        BigDecimal quotient = a.divide(b, QUOTIENT);
        return quotient.scale() < 0 ? Functions.bounded(quotient).setScale(0) : quotient;
    }

    private static Object doubles(String operator, double a, double b) {
        requireDivisor(operator, b == 0);
        return switch (operator) {
            case "+" -> a + b;
            case "-" -> a - b;
            case "*" -> a * b;
            case "/" -> a / b;
            default -> a % b;
        };
    }

    private static void requireDivisor(String operator, boolean isZero) {
        if (isZero && (operator.equals("/") || operator.equals("%"))) {
            throw new BadValueException("has 0 as its divisor");
        }
    }

    /** The operation of values of which at least one is a time or a duration; null if there is none. */
    static @Nullable Operation ofTimes(String operator, Kind a, Kind b) {
        int sign = operator.equals("+") ? 1 : operator.equals("-") ? -1 : 0;
        if (operator.equals("*") && a == Kind.DURATION && b == Kind.INTEGER) {
            return new Operation(Kind.DURATION, v -> times((CqlDuration) v[0], (Long) v[1]));
        }
        if (sign == 0) {
            return null;
        }
        if (b == Kind.DURATION) {
            Body body =
                    switch (a) {
                        case TIMESTAMP -> v -> later((Instant) v[0], times((CqlDuration) v[1], sign));
                        case DATE -> v -> later((LocalDate) v[0], times((CqlDuration) v[1], sign));
                        case TIME -> v -> later((LocalTime) v[0], times((CqlDuration) v[1], sign));
                        case DURATION -> v -> sum((CqlDuration) v[0], times((CqlDuration) v[1], sign));
                        default -> null;
                    };
            return body == null ? null : new Operation(a, body);
        }
        if (operator.equals("-") && a == Kind.TIMESTAMP && b == Kind.TIMESTAMP) {
            return new Operation(Kind.DURATION, v -> between((Instant) v[0], (Instant) v[1]));
        }
        return operator.equals("-") && a == Kind.DATE && b == Kind.DATE
                ? new Operation(Kind.INTEGER, v -> ((LocalDate) v[0]).toEpochDay() - ((LocalDate) v[1]).toEpochDay())
                : null;
    }

    private static CqlDuration between(Instant a, Instant b) {
        return CqlDuration.newInstance(
                0, 0, Math.multiplyExact(Math.subtractExact(Cells.millis(a), Cells.millis(b)), NANOS_OF_MILLI));
    }

    private static CqlDuration times(CqlDuration duration, long factor) {
        return factor == 1
                ? duration
                : CqlDuration.newInstance(
                        Math.toIntExact(Math.multiplyExact(duration.getMonths(), factor)),
                        Math.toIntExact(Math.multiplyExact(duration.getDays(), factor)),
                        Math.multiplyExact(duration.getNanoseconds(), factor));
    }

    private static CqlDuration sum(CqlDuration a, CqlDuration b) {
        return CqlDuration.newInstance(
                Math.addExact(a.getMonths(), b.getMonths()),
                Math.addExact(a.getDays(), b.getDays()),
                Math.addExact(a.getNanoseconds(), b.getNanoseconds()));
    }

    /** Adds in UTC, where each day has 24 hours. */
    private static Instant later(Instant time, CqlDuration by) {
        if (by.getNanoseconds() % NANOS_OF_MILLI != 0) {
            throw new BadValueException("is timestamp, which has milliseconds, but " + by + " has parts of one");
        }
        return time.atOffset(ZoneOffset.UTC)
                .plusMonths(by.getMonths())
                .plusDays(by.getDays())
                .plusNanos(by.getNanoseconds())
                .toInstant();
    }

    private static LocalDate later(LocalDate date, CqlDuration by) {
        if (by.getNanoseconds() != 0) {
            throw new BadValueException("is date, but " + by + " is not of whole days");
        }
        return date.plusMonths(by.getMonths()).plusDays(by.getDays());
    }

    private static LocalTime later(LocalTime time, CqlDuration by) {
        long nanos = Math.addExact(time.toNanoOfDay(), by.getNanoseconds());
        if (by.getMonths() != 0 || by.getDays() != 0 || nanos < 0 || nanos >= NANOS_OF_DAY) {
            throw new BadValueException("is time, but " + time + " and " + by + " are not within one day");
        }
        return LocalTime.ofNanoOfDay(nanos);
    }
}
