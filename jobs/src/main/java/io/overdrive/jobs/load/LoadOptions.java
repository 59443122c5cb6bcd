package io.overdrive.jobs.load;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.expression.Assignments;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The files to load and how to read them; {@link io.overdrive.WriteOptions} says how to write the rows. Immutable. */
public final class LoadOptions {
    private final List<InputFile> files;
    private final InputFormat format;
    private final ValueFormat values;
    private final Mapping mapping;
    private final Assignments assignments;
    private final List<String> fieldNames;
    private final List<String> nullWords;
    private final boolean emptyText;
    private final boolean writeNulls;
    private final boolean allowMissingFields;
    private final boolean allowExtraFields;
    private final RejectLimit maxRejects;
    private final @Nullable Path rejectDirectory;
    private final String rejectName;
    private final boolean dryRun;
    private final int threads;
    private final boolean rejectsLosses;
    private final Set<String> acceptedLosses;
    private final boolean countsLosses;
    private final boolean keepTimes;
    private final boolean comparesValues;
    private final @Nullable QueriedFiles queried;
    private final MessageText.Words words;

    private LoadOptions(Builder builder) {
        files = builder.files;
        format = builder.format;
        values = builder.values.toBuilder()
                .ignoreExtraFields(builder.allowExtraFields)
                .build();
        assignments = builder.assignments;
        keepTimes = builder.keepTimes;
        comparesValues = builder.comparesValues;
        queried = builder.queried;
        Mapping besides = builder.mapping.besides(assignments);
        mapping = keepTimes ? besides.withTimes() : besides;
        fieldNames = List.copyOf(builder.fieldNames);
        nullWords = List.copyOf(builder.nullWords);
        emptyText = builder.emptyText;
        writeNulls = builder.writeNulls;
        allowMissingFields = builder.allowMissingFields;
        allowExtraFields = builder.allowExtraFields;
        maxRejects = builder.maxRejects;
        rejectDirectory = builder.rejectDirectory;
        rejectName = builder.rejectName;
        dryRun = builder.dryRun;
        rejectsLosses = builder.rejectsLosses;
        acceptedLosses = Set.copyOf(builder.acceptedLosses);
        countsLosses = builder.countsLosses;
        words = builder.words;
        threads = Math.toIntExact(JobSetting.LOAD_THREADS.check((long) builder.threads));
        if (files.isEmpty()) {
            throw new IllegalArgumentException("files is empty, must name at least one");
        }
        if (keepTimes) {
            checkTimes();
        }
        if (writeNulls) {
            files.forEach(LoadOptions::refusePart);
        }
        if (nullWords.contains("")) {
            throw new IllegalOptionException(words -> words.of(JobOption.NULL_WORDS)
                    + " contains the empty word, which means a missing value anyway:" + " leave it out");
        }
    }

    private static void refusePart(InputFile file) {
        if (!file.writtenAfter().isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> file.name() + ": has only what was written after " + file.writtenAfter() + ", by "
                            + Manifest.NAME + ", and " + words.of(JobOption.WRITE_NULLS)
                            + " would delete older values, which are missing in it: leave it out");
        }
    }

    private void checkTimes() {
        KeptTimes.check(mapping, mapping.toString(), assignments);
        if (writeNulls) {
            throw new IllegalOptionException(words -> words.of(JobOption.WRITE_NULLS) + " and "
                    + words.of(JobOption.KEEP_TIMES)
                    + " exclude each other: a missing value has no write time at which it could delete");
        }
    }

    /** @param files in the order in which they are read */
    public static Builder of(List<InputFile> files) {
        return new Builder(List.copyOf(files));
    }

    /** A builder with these options, to change some of them. */
    public Builder toBuilder() {
        Builder builder = new Builder(files)
                .format(format)
                .values(values)
                .mapping(mapping)
                .set(assignments)
                .fieldNames(fieldNames)
                .nullWords(nullWords)
                .emptyText(emptyText)
                .writeNulls(writeNulls)
                .allowMissingFields(allowMissingFields)
                .allowExtraFields(allowExtraFields)
                .maxRejects(maxRejects)
                .rejects(rejectDirectory, rejectName)
                .dryRun(dryRun)
                .threads(threads);
        builder.rejectsLosses = rejectsLosses;
        builder.acceptedLosses = acceptedLosses;
        builder.countsLosses = countsLosses;
        builder.keepTimes = keepTimes;
        builder.comparesValues = comparesValues;
        builder.queried = queried;
        builder.words = words;
        return builder;
    }

    /** The input files, in the order in which they are read. */
    public List<InputFile> files() {
        return files;
    }

    /** The format of the records. */
    public InputFormat format() {
        return format;
    }

    /** How values are read from text. */
    public ValueFormat values() {
        return values;
    }

    /** Which field goes to which column, besides those that are computed. */
    public Mapping mapping() {
        return mapping;
    }

    /** The columns that are computed from the fields of a record. */
    public Assignments assignments() {
        return assignments;
    }

    /** Names of the fields of CSV files without a header; empty if files have one, or the mapping uses numbers. */
    public List<String> fieldNames() {
        return fieldNames;
    }

    /** Texts of a missing value, besides those that always mean one. */
    public List<String> nullWords() {
        return nullWords;
    }

    /** Whether an empty CSV field is empty text in columns of text; else it is a missing value unless it is in quotes. */
    public boolean emptyText() {
        return emptyText;
    }

    /** Whether a missing value deletes the existing cell; else the cell is left unchanged. */
    public boolean writeNulls() {
        return writeNulls;
    }

    /** Whether a record may have fewer fields than the header. */
    public boolean allowMissingFields() {
        return allowMissingFields;
    }

    /**
     * Whether fields without a column, and those that a user-defined type does not have, are ignored; else they stop the load,
     * or reject the record.
     */
    public boolean allowExtraFields() {
        return allowExtraFields;
    }

    /** Maximum number of rejected records; more stop the load. */
    public RejectLimit maxRejects() {
        return maxRejects;
    }

    /** Directory of rejected records. */
    public Path rejectDirectory() {
        return rejectDirectory == null ? Path.of("") : rejectDirectory;
    }

    /** Whether rejected records are saved: not in a dry run, unless a directory was given. */
    public boolean savesRejects() {
        return rejectDirectory != null || !dryRun;
    }

    /** Name of the file of rejected records, to which {@code .rejected} is added. */
    public String rejectName() {
        return rejectName;
    }

    /** Whether to write nothing. */
    public boolean dryRun() {
        return dryRun;
    }

    /** Whether records are rejected whose value this column does not keep in full, as {@link ValueText#checked} says. */
    public boolean rejectsLosses(String column) {
        return rejectsLosses && !acceptedLosses.contains(column);
    }

    /** Whether values are counted that their column does not keep in full, and that are accepted all the same. */
    public boolean countsLosses() {
        return countsLosses;
    }

    /** Whether each cell gets the write time and the expiry that the fields {@code writetime(field)} and {@code expires(field)} give. */
    public boolean keepTimes() {
        return keepTimes;
    }

    /** Whether one of the files has only what was written after a time, so that the table may have values which it replaces. */
    boolean isIncrement() {
        return files.stream().anyMatch(file -> !file.writtenAfter().isEmpty());
    }

    /** Whether rows with times are not split by these, as only their values count, without expired ones. */
    boolean comparesValues() {
        return comparesValues;
    }

    /** The files from which a query makes the input; null if there is no query. */
    @Nullable QueriedFiles queried() {
        return queried;
    }

    /** Number of threads that parse. */
    public int threads() {
        return threads;
    }

    /** The words for options that the reasons of rejected records name. */
    MessageText.Words words() {
        return words;
    }

    /** Collects options. Confined to one thread. */
    public static final class Builder {
        private List<InputFile> files;
        private InputFormat format = InputFormat.builder().build();
        private ValueFormat values = ValueFormat.DEFAULT;
        private Mapping mapping = Mapping.BY_NAME;
        private Assignments assignments = Assignments.NONE;
        private List<String> fieldNames = List.of();
        private List<String> nullWords = List.of();
        private boolean emptyText;
        private boolean writeNulls;
        private boolean allowMissingFields;
        private boolean allowExtraFields;
        private RejectLimit maxRejects = new RejectLimit(100, 100);
        private @Nullable Path rejectDirectory;
        private String rejectName = "load";
        private boolean dryRun;
        private int threads = JobSetting.LOAD_THREADS.requireDefault().intValue();

        private boolean rejectsLosses;
        private Set<String> acceptedLosses = Set.of();
        private boolean countsLosses;
        private boolean keepTimes;
        private boolean comparesValues;
        private @Nullable QueriedFiles queried;
        private MessageText.Words words = NamedOption::javaName;

        private Builder(List<InputFile> files) {
            this.files = files;
        }

        /** Replaces the files. */
        Builder files(List<InputFile> others) {
            files = List.copyOf(others);
            return this;
        }

        /** The words for options that the reasons of rejected records name; the names in Java by default. */
        public Builder words(MessageText.Words words) {
            this.words = words;
            return this;
        }

        /** @throws IllegalArgumentException if a value is out of range */
        public LoadOptions build() {
            return new LoadOptions(this);
        }

        public Builder format(InputFormat format) {
            this.format = format;
            return this;
        }

        public Builder values(ValueFormat values) {
            this.values = values;
            return this;
        }

        public Builder mapping(Mapping mapping) {
            this.mapping = mapping;
            return this;
        }

        /**
         * Columns that are computed from the fields of each record, which may also be fields without a column. A field whose name is one
         * of a column has the type of that column, or as {@code raw(field)} its text; others are text. A computed column gets no field of
         * its name. All expressions see the fields as they are in the record. Default: none.
         *
         * <p>Names and types are checked when the load is opened. A record whose value cannot be computed is rejected.
         *
         * @param assignments such as {@code Assignments.parse(List.of("dest = upper(dest)"))}
         */
        public Builder set(Assignments assignments) {
            this.assignments = assignments;
            return this;
        }

        public Builder fieldNames(List<String> fieldNames) {
            this.fieldNames = fieldNames;
            return this;
        }

        public Builder nullWords(List<String> nullWords) {
            this.nullWords = nullWords;
            return this;
        }

        public Builder emptyText(boolean emptyText) {
            this.emptyText = emptyText;
            return this;
        }

        public Builder writeNulls(boolean writeNulls) {
            this.writeNulls = writeNulls;
            return this;
        }

        public Builder allowMissingFields(boolean allowMissingFields) {
            this.allowMissingFields = allowMissingFields;
            return this;
        }

        public Builder allowExtraFields(boolean allowExtraFields) {
            this.allowExtraFields = allowExtraFields;
            return this;
        }

        public Builder maxRejects(RejectLimit maxRejects) {
            this.maxRejects = maxRejects;
            return this;
        }

        /**
         * Where rejected records go. Default: {@code load} in the working directory, but nowhere in a dry run.
         *
         * @param directory null for the default
         * @param name of the file there without {@code .rejected}
         */
        public Builder rejects(@Nullable Path directory, String name) {
            rejectDirectory = directory;
            rejectName = name;
            return this;
        }

        public Builder dryRun(boolean dryRun) {
            this.dryRun = dryRun;
            return this;
        }

        public Builder threads(int threads) {
            this.threads = threads;
            return this;
        }

        /**
         * Rejects records with a value that its column does not keep in full: for tables whose types were inferred from a sample.
         *
         * @param accepted the columns whose type the user has chosen, which take such values
         */
        public Builder rejectLosses(Set<String> accepted) {
            rejectsLosses = true;
            acceptedLosses = accepted;
            return this;
        }

        /**
         * Gives each cell its own write time and expiry, as {@code overdrive unload --keep-times} has written them: a row is then written in
         * several parts if its cells have different times. A value whose write time is missing rejects its record, and cells that have
         * expired are left out.
         */
        public Builder keepTimes(boolean keepTimes) {
            this.keepTimes = keepTimes;
            return this;
        }

        /** Gives the target whole rows if times are kept, without the cells that have expired: for one that compares values. */
        public Builder compareValues() {
            comparesValues = true;
            return this;
        }

        /** The input is the result of a query over other files. */
        Builder queried(QueriedFiles files) {
            queried = files;
            return this;
        }

        /** Counts the accepted values that their column does not keep in full ({@link Loader#losses}). */
        public Builder countLosses() {
            countsLosses = true;
            return this;
        }
    }
}
