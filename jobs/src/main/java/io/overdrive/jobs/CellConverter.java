package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.nio.charset.StandardCharsets;

/**
 * Converts the bytes of one type's values to another type through text, as if the value were unloaded and loaded again.
 * Confined to one thread.
 */
public final class CellConverter {
    private final ValueText source;
    private final ValueText target;
    private final Bytes text = new Bytes(64);

    public CellConverter(ValueText source, ValueText target) {
        this.source = source;
        this.target = target;
    }

    public static CellConverter of(DataType from, DataType to) {
        return new CellConverter(ValueText.of(from, ValueFormat.DEFAULT), ValueText.of(to, ValueFormat.DEFAULT));
    }

    /** Whether a value has the same bytes in both types, so that nothing needs to be converted. */
    public static boolean isSameBytes(DataType from, DataType to) {
        CqlType source = CqlType.of(from);
        CqlType target = CqlType.of(to);
        return CqlType.isSame(from, to)
                || (source == CqlType.ASCII && target == CqlType.TEXT)
                || (source == CqlType.TIMEUUID && target == CqlType.UUID)
                || (source == CqlType.COUNTER && target == CqlType.BIGINT)
                || (source == CqlType.BIGINT && target == CqlType.COUNTER);
    }

    /** Whether a column of this type stores its elements in separate cells, each with its own write time. */
    public static boolean isMultiCell(DataType type) {
        return (type instanceof ListType list && !list.isFrozen())
                || (type instanceof SetType set && !set.isFrozen())
                || (type instanceof MapType map && !map.isFrozen())
                || (type instanceof UserDefinedType udt && !udt.isFrozen());
    }

    /** Whether a value of this length is null. */
    public boolean isNull(int length) {
        return source.isNull(length);
    }

    /**
     * Writes the value in its new type.
     *
     * @throws io.overdrive.formats.text.BadValueException if that type cannot hold it; the sink then holds an unfinished
     *     value
     */
    public void convert(byte[] from, int offset, int length, Bytes out) {
        text.clear();
        source.write(from, offset, length, text);
        char[] chars = new String(text.array(), 0, text.length(), StandardCharsets.UTF_8).toCharArray();
        target.parse(chars, 0, chars.length, out);
    }
}
