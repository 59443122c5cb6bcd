package io.overdrive.spark.write;

import io.overdrive.OverdriveException;
import io.overdrive.TableSchema;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.sstable.handover.SstableJob;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a write by SSTables on Spark's driver: checks, starts the job, and hands over the SSTables of the tasks ({@link
 * SstableTask}). Nothing is visible in the table before. Confined to the thread that plans and starts the job.
 */
final class SstableWrite {
    private static final Logger LOG = LoggerFactory.getLogger(SstableWrite.class);
    private static final String WAY_OUT = "leave out option \"" + Setting.SSTABLES.option + "\"";

    private final Settings settings;
    private final TableSchema table;
    private final WriteTask task;
    private final SstableTarget target;
    private final boolean truncates;
    private @Nullable SstableJob job;

    /**
     * Checks the options, the table, and that nodes which are up can be reached.
     *
     * @param truncates whether the table is emptied before the nodes import
     * @throws IllegalArgumentException if an option is wrong, or rows of the table cannot be imported
     */
    SstableWrite(Settings settings, TableSchema table, WriteTask task, boolean truncates) {
        this.settings = settings;
        this.table = table;
        this.task = task;
        this.truncates = truncates;
        if (task.columns().deletes()) {
            throw refusal("deletions (option \"" + Setting.DELETE.option + "\") cannot be written as SSTables");
        }
        target = SstableTarget.of(settings);
        if (truncates && !target.imports()) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] would be emptied long before scripts import the rows: use mode append, and TRUNCATE when you"
                    + " run them, or have the nodes import by option \"" + Setting.SSTABLES_JMX.option + "\", \""
                    + Setting.SSTABLES_SSH.option + "\" or \"" + Setting.SSTABLES_SIDECAR.option + "\"");
        }
        open().close();
    }

    private IllegalArgumentException refusal(String what) {
        return new IllegalArgumentException("[" + table.cqlName() + "] " + what + ": " + WAY_OUT);
    }

    /** @throws UnsupportedOperationException if the setting is on, for what SSTables cannot do */
    static void requireOff(Settings settings, String what) {
        if (settings.isOn(Setting.SSTABLES)) {
            throw new UnsupportedOperationException(
                    what + " cannot be written as SSTables: set option \"" + Setting.SSTABLES.option + "\" to false");
        }
    }

    private SstableJob open() {
        try {
            return SstableJob.open(
                    SharedEngines.of(settings),
                    task.options(),
                    task.columns().writeTime().isSet(),
                    target.options());
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        } catch (IllegalOptionException e) {
            throw Failures.named(e);
        }
    }

    /** How many tasks the job is to have: each makes one SSTable for each node. */
    int tasks(SparkContext spark) {
        return settings.find(Setting.SSTABLES_TASKS) != null
                ? Math.toIntExact(settings.number(Setting.SSTABLES_TASKS))
                : Math.max(1, spark.defaultParallelism());
    }

    /** Creates the directory of the job, for its tasks. */
    SstableTask start(SparkContext spark, int tasks) {
        SstableJob opened = open();
        job = opened;
        opened.warnings().forEach(warning -> LOG.warn("[{}] {}", table.cqlName(), warning));
        try {
            Path root = opened.start();
            Long ttl = task.columns().ttl().constant();
            return new SstableTask(
                    task.from(CassandraWrite.now(), tasks),
                    new JavaSparkContext(spark).broadcast(opened.owners()),
                    opened.nodes(),
                    root.toString(),
                    ttl == null ? opened.defaultTtl() : Math.toIntExact(ttl));
        } catch (OverdriveException e) {
            opened.close();
            throw Failures.ofSpark(e);
        }
    }

    /** Hands over the SSTables, after {@link #start}. */
    void commit(List<SstableTask.Finished> tasks) {
        SstableJob started = Objects.requireNonNull(job);
        try {
            started.take(tasks.stream().map(SstableTask.Finished::result).toList());
            if (truncates) {
                Truncation.run(settings, table);
            }
            started.handOver();
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
        LOG.info(
                "[{}] {} rows {}",
                table.cqlName(),
                tasks.stream().mapToLong(SstableTask.Finished::rows).sum(),
                target.imports()
                        ? "were imported"
                        : "are in the SSTables in " + started.root() + ", with a script for each node");
        started.close();
    }

    /** Deletes the SSTables of tasks, unless nodes have begun to import it. */
    void abort() {
        if (job != null) {
            job.abandon();
            job.close();
        }
    }

    /** The text in EXPLAIN. */
    String how() {
        return "by SSTables " + target;
    }
}
