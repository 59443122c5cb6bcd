package io.overdrive.formats.columns;

import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Decimals and varints as numbers of 128 bits. Confined to one thread; on the hot path. */
final class DecimalBuilder extends DataBuilder {
    private static final int DECIMAL_BYTES = 16;

    private final String cql;
    private final boolean hasScale;
    private final BigInteger limit;

    DecimalBuilder(ColumnType type, String cql, boolean hasScale) {
        super(type);
        this.cql = cql;
        this.hasScale = hasScale;
        limit = BigInteger.TEN.pow(type.precision());
    }

    @Override
    ColumnBuilder with(ColumnType other) {
        return new DecimalBuilder(other, cql, hasScale);
    }

    @Override
    void value(byte[] from, int offset, int length) {
        int scaleBytes = hasScale ? 4 : 0;
        if (length <= scaleBytes) {
            throw badLength(cql, length);
        }
        BigInteger unscaled = new BigInteger(from, offset + scaleBytes, length - scaleBytes);
        int scale = hasScale ? Bytes.getInt(from, offset) : 0;
        BigInteger kept = scale == type().scale() ? unscaled : rescaled(unscaled, scale);
        if (kept.abs().compareTo(limit) >= 0) {
            throw doesNotFit(unscaled, scale);
        }
        long high = kept.shiftRight(64).longValue();
        putLong(kept.longValue(), data);
        putLong(high, data);
    }

    private BigInteger rescaled(BigInteger unscaled, int scale) {
        // a scale far from the wanted one would need as many digits
        if (unscaled.signum() == 0) {
            return unscaled;
        }
        if (Math.abs((long) scale - type().scale()) > 100_000L) {
            throw doesNotFit(unscaled, scale);
        }
        try {
            return new BigDecimal(unscaled, scale)
                    .setScale(type().scale(), RoundingMode.UNNECESSARY)
                    .unscaledValue();
        } catch (ArithmeticException e) {
            throw doesNotFit(unscaled, scale);
        }
    }

    private BadValueException doesNotFit(BigInteger unscaled, int scale) {
        char[] number = new BigDecimal(unscaled, scale).toString().toCharArray();
        return new BadValueException("is " + cql + ", and " + BadValueException.shown(number, 0, number.length)
                        + " does not fit into " + type().precision() + " digits, " + type().scale()
                        + " of them after the point")
                .withHint(words -> "; without " + words.of(JobOption.DECIMALS) + " it is written as text");
    }

    @Override
    void missing() {
        zeros(DECIMAL_BYTES, data);
    }
}
