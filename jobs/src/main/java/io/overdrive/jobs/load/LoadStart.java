package io.overdrive.jobs.load;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputReader;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.TargetTable;
import io.overdrive.jobs.journal.RunRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of a load before its writer is opened: the beginning of the input is read, and everything that can be checked
 * without a writer is checked here.
 *
 * @param options with the mapping to markers if rows are written by a statement
 * @param first the first block with records; the last block if no input has records, and null if there is no block
 * @param headers those up to that block's, which is the last one
 * @param table null if rows are written by a statement
 * @param journal null if the load cannot be resumed, or keeps no journal
 */
record LoadStart(
        LoadOptions options,
        InputReader reader,
        @Nullable Block first,
        List<FileHeader> headers,
        @Nullable TableSchema table,
        @Nullable LoadJournal journal)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoadStart.class);

    /**
     * @param write receives the columns that follow from the input
     * @param maxJournalBytes above which the journal remembers no further rows
     * @throws OverdriveException of kind INPUT if the input cannot be read, or does not match the table, or a run cannot be resumed
     */
    static LoadStart of(
            Overdrive overdrive,
            WriteOptions.Builder write,
            LoadOptions given,
            @Nullable RunRequest run,
            long maxJournalBytes) {
        WriteOptions target = write.build();
        overdrive.awaitNode(target.patience());
        LoadOptions options = target.statement() == null
                ? given
                : given.toBuilder().mapping(given.mapping().toMarkers()).build();
        LoadJournal journal = run == null ? null : journal(run, options, maxJournalBytes);
        InputReader reader = journal == null
                ? new InputReader(options.files(), options.format())
                : InputReader.summing(options.files(), options.format());
        try {
            if (journal != null && run != null && run.isResume()) {
                journal = resume(journal, run, write, options, target);
            }
            List<FileHeader> headers = new ArrayList<>();
            Block first = firstWithRecords(reader, headers);
            WritableDirectory.checkRejects(options.rejectDirectory());
            if (!options.dryRun()) {
                WritableDirectory.checkSpills(target.spillDirectory());
            }
            TableSchema table = table(overdrive, write, options, target, headers);
            return new LoadStart(options, reader, first, headers, table, journal);
        } catch (RuntimeException e) {
            reader.close();
            if (journal != null) {
                journal.close();
            }
            throw e;
        }
    }

    /**
     * The beginning of files of keys, and options for a writer of the columns of the primary key that they have.
     *
     * @throws OverdriveException of kind INPUT if the input cannot be read, or its fields are not those of a key
     */
    static Keys ofKeys(Overdrive overdrive, TableSchema table, LoadOptions options) {
        InputReader reader = new InputReader(options.files(), options.format());
        try {
            List<FileHeader> headers = new ArrayList<>();
            Block first = firstWithRecords(reader, headers);
            KeyFields fields = new KeyFields(table, options);
            headers.forEach(fields::add);
            return new Keys(
                    new LoadStart(options, reader, first, headers, /* table */ null, /* journal */ null),
                    WriteOptions.statement(fields.statement()));
        } catch (RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    /** The beginning of files of keys, with a statement that has them as its markers; it is not executed. */
    record Keys(LoadStart start, WriteOptions.Builder write) {}

    /** Null if the load cannot be resumed. */
    private static @Nullable LoadJournal journal(RunRequest run, LoadOptions options, long maxBytes) {
        InputFile once = options.files().stream()
                .filter(file -> !file.isRereadable())
                .findFirst()
                .orElse(null);
        if (once == null && !options.dryRun()) {
            return new LoadJournal(maxBytes);
        }
        if (run.isResume()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    once == null
                            ? "a dry run writes nothing: there is nothing to resume"
                            : once.name() + " can be read only once, so its load cannot be resumed: load from files");
        }
        return null;
    }

    /** @return the journal; another one if a new run begins */
    private static LoadJournal resume(
            LoadJournal journal, RunRequest run, WriteOptions.Builder write, LoadOptions options, WriteOptions target) {
        String other = journal.resume(run, options.files());
        if (other != null) {
            if (target.timestamp() == null) {
                journal.awaitItsTimes();
            }
            LOG.warn(
                    "run {} did not finish, and its input is not the same now: {}; a new run begins, and rows that run {}"
                            + " has not written stay missing unless they are in this input",
                    run.resumes(),
                    other,
                    run.resumes());
            return journal.inPlace();
        }
        journal.awaitLaterTimes(target.timestamp() != null);
        Long base = journal.baseTimestamp();
        if (base != null) {
            write.resume(base);
        }
        return journal;
    }

    /**
     * The first block with records; the last block if no input has records, and null if there is no block.
     *
     * @param headers receives the headers up to that block's, which is the last one
     */
    private static @Nullable Block firstWithRecords(InputReader reader, List<FileHeader> headers) {
        Block first = null;
        for (Block block = reader.next(); block != null; block = reader.next()) {
            first = block;
            headers.add(block.header());
            if (block.length() > 0) {
                break;
            }
        }
        return first;
    }

    /** The table, whose columns that the input fills are to be written; null if rows are written by a statement. */
    private static @Nullable TableSchema table(
            Overdrive overdrive,
            WriteOptions.Builder write,
            LoadOptions options,
            WriteOptions target,
            List<FileHeader> headers) {
        if (target.statement() != null
                && (options.mapping().usesTtl() || options.mapping().usesWritetime())) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "mapping \"" + options.mapping() + "\": ttl() and writetime() are for tables;"
                            + " in a statement write USING TTL :name or USING TIMESTAMP :name, and map the field to that name");
        }
        if (options.keepTimes()) {
            KeptTimes.check(target);
        }
        String keyspace = target.keyspace();
        String name = target.table();
        if (keyspace == null || name == null) {
            if (options.keepTimes()) {
                throw new IllegalOptionException(words -> words.of(JobOption.KEEP_TIMES)
                        + " is for tables: a statement gives its times by USING TTL :name AND TIMESTAMP :name");
            }
            return null;
        }
        TableSchema table = TargetTable.of(overdrive, keyspace, name);
        List<String> columns =
                table.columns().stream().map(TableSchema.Column::name).toList();
        for (FileHeader header :
                headers) { // those without records must match, too; the last one determines the columns
            write.columns(FieldSlots.targetColumns(header, options, columns));
        }
        if (options.keepTimes()) {
            headers.forEach(header -> FieldSlots.requireTimes(header, options, table));
            keepTimes(write, table);
            return table;
        }
        write.countRepeatedKeys();
        if (options.mapping().usesTtl()) {
            write.rowTtl();
        }
        if (options.mapping().usesWritetime()) {
            write.rowTimestamp();
        }
        return table;
    }

    private static void keepTimes(WriteOptions.Builder write, TableSchema table) {
        KeptTimes.refuseCounters(table);
        WriteOptions target = write.build();
        List<String> columns = target.columns();
        for (TableSchema.Column column : table.columns()) {
            boolean isWritten = columns != null && columns.contains(column.name());
            if (isWritten && !target.allowNonIdempotent()) {
                KeptTimes.refuseList(table, column, column.name());
            }
        }
        write.rowTtl().rowTimestamp();
    }

    @Override
    public void close() {
        reader.close();
        if (journal != null) {
            journal.close();
        }
    }
}
