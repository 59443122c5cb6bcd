package io.overdrive.sql;

import io.overdrive.formats.arrow.ArrowReader;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnJson;
import io.overdrive.formats.columns.ColumnType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The rows of a result, as our own reader of Arrow has them. */
final class ResultRows {
    private ResultRows() {}

    /** Each row as JSON, after a line with the names and types of the columns. */
    static List<String> json(InputStream result) throws IOException {
        ArrowReader reader = new ArrowReader("result", result, length -> null);
        List<String> rows = new ArrayList<>();
        rows.add(reader.columns().stream()
                .map(column -> column.name() + " " + column.cql())
                .toList()
                .toString());
        ColumnJson json = new ColumnJson(reader.columns());
        for (ColumnBatch batch = reader.next(); batch != null; batch = reader.next()) {
            List<Column> columns = batch.columns();
            for (int row = 0; row < batch.rows(); row++) {
                rows.add(new String(json.row(columns, row), StandardCharsets.UTF_8));
            }
        }
        return rows;
    }

    static List<ColumnType> columns(InputStream result) throws IOException {
        return new ArrowReader("result", result, length -> null).columns();
    }
}
