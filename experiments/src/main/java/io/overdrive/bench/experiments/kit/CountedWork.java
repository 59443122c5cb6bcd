package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;

/** Work that writes one table, whose rows are counted afterwards. */
public abstract class CountedWork implements Work {
    private final ExperimentContext context;
    private final String table;
    private final DefaultConsistencyLevel consistency;

    /** Reads rows that were written at LOCAL_QUORUM. */
    protected CountedWork(ExperimentContext context, String table) {
        this(context, table, DefaultConsistencyLevel.LOCAL_QUORUM);
    }

    /** @param consistency for counting the rows */
    protected CountedWork(ExperimentContext context, String table, DefaultConsistencyLevel consistency) {
        this.context = context;
        this.table = table;
        this.consistency = consistency;
    }

    @Override
    public long rowsFound() {
        return context.countRows(table, consistency);
    }
}
