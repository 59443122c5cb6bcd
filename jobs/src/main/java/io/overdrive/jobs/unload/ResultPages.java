package io.overdrive.jobs.unload;

import com.datastax.oss.driver.api.core.type.DataType;
import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.columns.CellReader;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.RecordHandler;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.scan.Page;
import java.util.List;

/** Makes pages of the rows of a query's result, as a table's rows come. Confined to one thread; on the hot path. */
final class ResultPages implements RecordHandler {
    private final List<ColumnType> columns;
    private final CellReader[] readers;
    private final Bytes body = new Bytes(1 << 16);
    private int rows;

    ResultPages(List<ColumnType> columns, List<DataType> types) {
        this.columns = columns;
        readers = new CellReader[columns.size()];
        for (int i = 0; i < readers.length; i++) {
            DataType type = types.get(i);
            readers[i] =
                    CellReader.of(columns.get(i), type, ValueText.of(type, ValueFormat.DEFAULT), ValueFormat.DEFAULT);
        }
    }

    /** The rows since the last call. */
    Page take() {
        Page page = new Page(body.toByteArray(), 0, rows, Long.MIN_VALUE, Long.MAX_VALUE, /* endsRange */ false);
        body.clear();
        rows = 0;
        return page;
    }

    @Override
    public void begin(Block block, long line, long position) {
        rows++;
    }

    @Override
    public void field(int index, Column column, int row) {
        if (column.isNull(row)) {
            body.putNull();
            return;
        }
        int begin = body.beginValue();
        try {
            readers[index].read(column, row, body);
        } catch (BadValueException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "column \"" + columns.get(index).name() + "\" of the query's result "
                            + e.text().in(words) + ": change it in the query, for example by a cast to VARCHAR",
                    e);
        }
        body.endValue(begin);
    }

    @Override
    public void field(int index, char[] chars, int from, int to, boolean quoted) {
        throw new IllegalStateException("the result has columns");
    }

    @Override
    public void field(String name, JsonParser json) {
        throw new IllegalStateException("the result has columns");
    }

    @Override
    public void end(int fieldCount) {
        // the next one follows
    }

    @Override
    public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {
        throw new IllegalStateException("a column has no malformed rows");
    }
}
