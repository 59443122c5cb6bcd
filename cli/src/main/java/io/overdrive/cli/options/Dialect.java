package io.overdrive.cli.options;

import io.overdrive.formats.records.InputFormat.Escaping;
import io.overdrive.formats.records.OutputFormat.Nesting;
import org.jspecify.annotations.Nullable;

/** The tools whose CSV has an escape character, what each of them means by it, and how it reads and writes values. */
enum Dialect {
    DSBULK(Escaping.IN_QUOTES, Nesting.JSON, /* timestampPattern */ null),
    SPARK(Escaping.IN_QUOTES, Nesting.JSON, /* timestampPattern */ null),
    CQLSH(Escaping.ANYWHERE, Nesting.CQL, "uuuu-MM-dd HH:mm:ss.SSSZ");

    static final char ESCAPE = '\\';

    final Escaping escaping;
    final Nesting nesting;
    /** Pattern of timestamps in UTC; null for ISO 8601, of which COPY FROM reads the date only. */
    final @Nullable String timestampPattern;

    Dialect(Escaping escaping, Nesting nesting, @Nullable String timestampPattern) {
        this.escaping = escaping;
        this.nesting = nesting;
        this.timestampPattern = timestampPattern;
    }
}
