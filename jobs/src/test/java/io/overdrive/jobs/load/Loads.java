package io.overdrive.jobs.load;

import io.overdrive.Overdrive;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A load under test: {@link LoadOptions} with the defaults of the command line, and files in one directory. */
public final class Loads {
    final Path directory;
    public final InputFormat.Builder format = InputFormat.builder();
    private final List<InputFile> files = new ArrayList<>();
    private String map = "* = *";
    private List<String> fieldNames = List.of();
    private List<String> nullWords = List.of();
    private ValueFormat values = ValueFormat.DEFAULT;
    private boolean writeNulls;
    private boolean allowMissingFields;
    private boolean allowExtraFields;
    private String maxRejects = "100";
    private boolean dryRun;
    private int threads = 2;

    public Loads(Path directory) {
        this.directory = directory;
    }

    public Loads file(Path file) {
        files.add(InputFile.of(file));
        return this;
    }

    /** Writes a file of these lines and loads it. */
    public Loads file(String name, String... lines) {
        return file(write(name, String.join("\n", lines) + "\n"));
    }

    Loads standardInput() {
        files.add(InputFile.standardInput());
        return this;
    }

    public Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Loads map(String value) {
        map = value;
        return this;
    }

    Loads fieldNames(List<String> value) {
        fieldNames = value;
        return this;
    }

    Loads nullWords(String... value) {
        nullWords = List.of(value);
        return this;
    }

    Loads values(ValueFormat value) {
        values = value;
        return this;
    }

    public Loads writeNulls() {
        writeNulls = true;
        return this;
    }

    Loads allowMissingFields() {
        allowMissingFields = true;
        return this;
    }

    Loads allowExtraFields() {
        allowExtraFields = true;
        return this;
    }

    public Loads maxRejects(String value) {
        maxRejects = value;
        return this;
    }

    Loads dryRun() {
        dryRun = true;
        return this;
    }

    Loads threads(int value) {
        threads = value;
        return this;
    }

    public LoadOptions options() {
        return LoadOptions.of(files)
                .format(format.build())
                .mapping(Mapping.parse(map))
                .fieldNames(fieldNames)
                .nullWords(nullWords)
                .values(values)
                .writeNulls(writeNulls)
                .allowMissingFields(allowMissingFields)
                .allowExtraFields(allowExtraFields)
                .maxRejects(RejectLimit.parse(maxRejects))
                .rejects(
                        directory,
                        files.get(0).isStandardInput()
                                ? "stdin.csv"
                                : String.valueOf(Path.of(files.get(0).name()).getFileName()))
                .dryRun(dryRun)
                .threads(threads)
                .build();
    }

    public LoadSummary run(Overdrive overdrive, WriteOptions.Builder write) {
        try (Loader loader = Loader.open(overdrive, write, options())) {
            return loader.run();
        }
    }

    /** The text of a file in the directory. */
    String text(String name) {
        try {
            return Files.readString(directory.resolve(name), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The names of the files of rejected records. */
    List<String> rejectFiles() {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(file -> file.getFileName().toString())
                    .filter(name -> name.contains(".rejected"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
