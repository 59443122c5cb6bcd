package io.overdrive.cli.options;

import io.overdrive.formats.records.InputFormat.Escaping;
import io.overdrive.formats.records.OutputFormat.Nesting;

/** The tools whose CSV has an escape character, and what each of them means by it. */
enum Dialect {
    DSBULK(Escaping.IN_QUOTES, Nesting.JSON),
    SPARK(Escaping.IN_QUOTES, Nesting.JSON),
    CQLSH(Escaping.ANYWHERE, Nesting.CQL);

    static final char ESCAPE = '\\';

    final Escaping escaping;
    final Nesting nesting;

    Dialect(Escaping escaping, Nesting nesting) {
        this.escaping = escaping;
        this.nesting = nesting;
    }
}
