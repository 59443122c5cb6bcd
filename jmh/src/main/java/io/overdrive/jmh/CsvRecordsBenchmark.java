package io.overdrive.jmh;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.RecordHandler;
import io.overdrive.formats.records.RecordParser;
import io.overdrive.internal.names.MessageText;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How fast one thread reads input: cutting a file into blocks, and parsing blocks. The result is {@code mb}, in millions of bytes a second.
 * Each run checks the number of records.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(2)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 6, time = 1)
public class CsvRecordsBenchmark {
    private static final int RECORDS = 500_000;
    private static final double BYTES_PER_MB = 1e6;

    /** The contents of the file. */
    public enum Rows {
        METRICS {
            @Override
            String row(int n, Random random) {
                return String.format(
                        Locale.ROOT,
                        "host-%05d.example.net,1700000000000,service-%02d,%d,%.6f,ok",
                        n / 1000,
                        n % 20,
                        1700000036123L + n,
                        random.nextDouble() * 100);
            }
        },
        FLIGHTS {
            @Override
            String row(int n, Random random) {
                return String.format(
                        Locale.ROOT,
                        "2015,%d,%d,%d,AA,%d,N%dAA,LAX,PBI,0010,0002,%d,12,0014,280,279,263,2330,0737,4,0750,0741,%d,0,0,,,,,,",
                        n % 12 + 1,
                        n % 28 + 1,
                        n % 7 + 1,
                        n % 3000,
                        n % 900,
                        random.nextInt(60) - 10,
                        random.nextInt(60) - 20);
            }
        },
        METRICS_QUOTED {
            @Override
            String row(int n, Random random) {
                return '"' + METRICS.row(n, random).replace(",", "\",\"") + '"';
            }
        },
        METRICS_ESCAPED {
            @Override
            String row(int n, Random random) {
                return METRICS.row(n, random);
            }
        },
        METRICS_JSON {
            @Override
            String row(int n, Random random) {
                String[] f = METRICS.row(n, random).split(",");
                return "{\"host\":\"" + f[0] + "\",\"day\":" + f[1] + ",\"service\":\"" + f[2] + "\",\"at\":" + f[3]
                        + ",\"value\":" + f[4] + ",\"state\":\"" + f[5] + "\"}";
            }
        };

        abstract String row(int n, Random random);
    }

    @Param
    public Rows rows = Rows.METRICS;

    private Path file = Path.of("unset");
    private InputFormat format = InputFormat.builder().build();
    private final List<Block> blocks = new ArrayList<>();

    /** Bytes a second. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Rate {
        public double mb;

        @Setup(Level.Iteration)
        public void reset() {
            mb = 0;
        }
    }

    @Setup
    public void write() throws IOException {
        boolean json = rows == Rows.METRICS_JSON;
        file = Files.createTempFile("overdrive", json ? ".json" : ".csv");
        Random random = new Random(1);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 0; i < RECORDS; i++) {
                out.write(rows.row(i, random));
                out.write('\n');
            }
        }
        format = InputFormat.builder()
                .header(false)
                .escape(rows == Rows.METRICS_ESCAPED ? '\\' : null)
                .build();
        try (InputReader reader = new InputReader(InputFiles.expand(List.of(file.toString())), format)) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                blocks.add(block);
            }
        }
    }

    @TearDown
    public void delete() throws IOException {
        Files.delete(file);
    }

    /** Reads the file from the page cache, and cuts it. */
    @Benchmark
    public long cut(Rate rate) {
        long bytes = 0;
        try (InputReader reader = new InputReader(InputFiles.expand(List.of(file.toString())), format)) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                bytes += block.length();
                reader.recycle(block);
            }
        }
        rate.mb += bytes / BYTES_PER_MB;
        return bytes;
    }

    /** Parses blocks that were cut before. */
    @Benchmark
    public long parse(Rate rate) {
        RecordParser parser = new RecordParser();
        Lengths lengths = new Lengths();
        for (Block block : blocks) {
            parser.parse(block, lengths);
            rate.mb += block.length() / BYTES_PER_MB;
        }
        return lengths.checked();
    }

    /** Both, like one worker. */
    @Benchmark
    public long cutAndParse(Rate rate) {
        RecordParser parser = new RecordParser();
        Lengths lengths = new Lengths();
        try (InputReader reader = new InputReader(InputFiles.expand(List.of(file.toString())), format)) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                parser.parse(block, lengths);
                rate.mb += block.length() / BYTES_PER_MB;
                reader.recycle(block);
            }
        }
        return lengths.checked();
    }

    private static final class Lengths implements RecordHandler {
        private long chars;
        private int records;

        long checked() {
            if (records != RECORDS) {
                throw new IllegalStateException("read " + records + " of " + RECORDS + " records");
            }
            return chars;
        }

        @Override
        public void begin(Block block, long line, long position) {}

        @Override
        public void field(int index, char[] text, int from, int to, boolean quoted) {
            chars += to - from + text[from];
        }

        @Override
        public void field(String name, JsonParser json) {
            try {
                chars += json.getTextLength();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void end(int fieldCount) {
            records++;
        }

        @Override
        public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {
            throw new IllegalStateException(reason.inJava());
        }
    }
}
