package io.overdrive.bench.experiments;

import io.overdrive.bench.Bench;
import io.overdrive.bench.Experiment.Work;

/** Work that writes one table: what was written must be in it. */
abstract class CountedWork implements Work {
    private final Bench bench;
    private final String table;

    CountedWork(Bench bench, String table) {
        this.bench = bench;
        this.table = table;
    }

    @Override
    public long rowsFound() {
        return bench.countRows(table);
    }
}
