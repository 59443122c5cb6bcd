package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowBuffer;
import io.overdrive.RowBuffers;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.handover.FakeNode.Import41;
import io.overdrive.sstable.read.SstableFile;
import io.overdrive.sstable.read.SstableMerge;
import io.overdrive.sstable.sort.SorterPart;
import io.overdrive.sstable.sort.SstableSorter;
import io.overdrive.sstable.sort.TokenOwners;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.JMException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of two nodes, written and imported in passes. */
class ImportPassesTest {
    private static final int ROWS = 1000;
    private static final SstableSchema SCHEMA = new SstableSchema(
            List.of(
                    new Column("id", DataTypes.INT, SstableSchema.Kind.PARTITION_KEY, 0),
                    new Column("v", DataTypes.INT, SstableSchema.Kind.REGULAR, 0)),
            Compression.NONE,
            0.01,
            /* minIndexInterval */ 128);

    private final Path directory;
    private final List<FakeNode> fakes = new ArrayList<>();
    /** The keys that each node has imported, pass by pass. */
    private final List<List<Integer>> imported = List.of(new ArrayList<>(), new ArrayList<>());
    /** How many passes had files at each import. */
    private final List<Long> onDisk = new ArrayList<>();

    private final SstableSorter sorter;
    private Runnable atImport = () -> {};
    /** Imports before one that is refused; negative for none. */
    private int refusals = -1;

    @SuppressWarnings("NullAway.Init")
    private ImportPasses passes;

    private int opened;

    ImportPassesTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        Path spills = Files.createDirectory(directory.resolve("spills"));
        sorter = SstableSorter.of(SCHEMA, List.of("id", "v"), spills, 1 << 20, 1, 1_700_000_000);
        RowBuffer row = RowBuffers.of(List.of("id", "v"), List.of(DataTypes.INT, DataTypes.INT));
        SorterPart part = sorter.part();
        for (int id = 0; id < ROWS; id++) {
            RowBuffers.clear(row);
            row.setInt(0, id).setInt(1, id);
            part.add(row, 1_700_000_000_000_000L, 0);
        }
    }

    private void open(int count) throws IOException, JMException {
        List<JmxAccess.Address> addresses = new ArrayList<>();
        Map<Integer, NodeBeans> beans = new HashMap<>();
        for (int i = 0; i < 2; i++) {
            int node = i;
            FakeNode fake = new FakeNode(Import41.class, Map.of(), directories -> imported(node, directories));
            fakes.add(fake);
            addresses.add(fake.address());
        }
        JmxAccess jmx = new JmxAccess(addresses, null, null);
        for (int i = 0; i < 2; i++) {
            beans.put(i, NodeBeans.open(addresses.get(i), jmx));
        }
        Placement placement = new Placement(
                Map.of(new UUID(0, 1), LongBuffer.wrap(new long[] {0}), new UUID(0, 2), LongBuffer.wrap(new long[] {9
                })),
                Map.of("class", "NetworkTopologyStrategy", "dc1", "1"),
                new UUID(7, 7),
                new DroppedColumns(Map.of()),
                null);
        ScriptedTransport cluster = new ScriptedTransport(2);
        Importers importers = new Importers(
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                new SstableOptions(jmx, /* ssh */ null, /* sidecar */ null, directory, count),
                new Replicas(
                        List.of(cluster.node(0), cluster.node(1)),
                        new TokenOwners(List.of(0L, Long.MAX_VALUE), List.of(new int[] {0}, new int[] {1})),
                        placement),
                List::of,
                beans);
        passes = new ImportPasses(importers, handOver(importers, placement), () -> handOver(importers, placement));
    }

    private HandOver handOver(Importers importers, Placement placement) {
        Path root = directory.resolve("overdrive-import-1-" + ++opened);
        Staging staging =
                Staging.create(root, "ks", "t", List.of("10.0.0.1:9042", "10.0.0.2:9042"), /* isShared */ false);
        return new HandOver(importers, () -> placement, List.of("id", "v"), staging, nanos -> {});
    }

    @AfterEach
    void close() throws IOException {
        passes.close();
        sorter.close();
        for (FakeNode fake : fakes) {
            fake.close();
        }
    }

    /** Called by threads of the fakes. */
    private synchronized List<String> imported(int node, Set<String> directories) {
        atImport.run();
        if (refusals-- == 0) {
            return List.copyOf(directories);
        }
        for (String each : directories) {
            try (Stream<Path> files = Files.list(Path.of(each))) {
                List<Path> all = files.toList();
                onDisk.add(passesOnDisk());
                imported.get(node).addAll(keys(all));
                for (Path file : all) {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return List.of();
    }

    private static List<Integer> keys(List<Path> files) {
        List<Integer> keys = new ArrayList<>();
        for (Path file : files) {
            if (file.toString().endsWith("-Data.db")) {
                try (SstableFile data = SstableFile.open(file, SCHEMA, Map.of());
                        SstableMerge rows = SstableMerge.of(SCHEMA, List.of(data), 1_700_000_000)) {
                    rows.open(Long.MIN_VALUE, Long.MAX_VALUE);
                    while (rows.next()) {
                        keys.add(io.overdrive.internal.codec.Bytes.getInt(
                                rows.row().array(0), rows.row().start(0)));
                    }
                }
            }
        }
        return keys;
    }

    private long passesOnDisk() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(each -> each.getFileName().toString().startsWith("overdrive-import-"))
                    .count();
        }
    }

    private List<Integer> allImported() {
        return imported.stream().flatMap(List::stream).sorted().toList();
    }

    private static List<Integer> allRows() {
        return IntStream.range(0, ROWS).boxed().toList();
    }

    @Test
    void nodesImportOnePassAfterAnother() throws Exception {
        open(4);
        assertThat(passes.run(sorter)).isTrue();
        assertThat(allImported()).isEqualTo(allRows());
        // of the first two passes all rows are the first node's, and of the others the second one's
        assertThat(fakes.get(0).imports).hasSize(2);
        assertThat(fakes.get(1).imports).hasSize(2);
        assertThat(onDisk).hasSize(4).allSatisfy(each -> assertThat(each).isLessThanOrEqualTo(2));
        assertThat(passesOnDisk()).isZero();
        assertThat(passes.finished()).isEqualTo(4);
        assertThat(passes.rows()).isEqualTo(ROWS);
        List<ImportResult> results = passes.results();
        assertThat(results).extracting(ImportResult::node).containsExactly("10.0.0.1:9042", "10.0.0.2:9042");
        assertThat(results).extracting(ImportResult::isImported).containsExactly(true, true);
        assertThat(results).extracting(ImportResult::sstables).containsExactly(2, 2);
        assertThat(results)
                .extracting(ImportResult::rows)
                .containsExactly(
                        (long) imported.get(0).size(), (long) imported.get(1).size());
    }

    @Test
    void asManyPassesAsThereArePieces() throws Exception {
        open(256);
        assertThat(passes.run(sorter)).isTrue();
        assertThat(allImported()).isEqualTo(allRows());
        assertThat(new TreeSet<>(onDisk).last()).isLessThanOrEqualTo(2);
        assertThat(passesOnDisk()).isZero();
    }

    @Test
    void nothingIsImportedInOnePassBeforeAllIsWritten() throws Exception {
        open(1);
        atImport = () -> assertThat(sorter.rowsDone()).isEqualTo(ROWS);
        assertThat(passes.run(sorter)).isTrue();
        assertThat(allImported()).isEqualTo(allRows());
        assertThat(passes.finished()).isEqualTo(1);
    }

    @Test
    void aPassThatANodeRefusesIsTheLastOne() throws Exception {
        open(4);
        refusals = 1;
        assertThatThrownBy(() -> passes.run(sorter))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.WRITE))
                .hasMessageStartingWith("pass 2 of 4: 1 of 2 nodes has not imported its SSTables, which are kept in "
                        + directory.resolve("overdrive-import-1-2"));
        assertThat(passes.finished()).isEqualTo(1);
        assertThat(passesOnDisk()).isEqualTo(1);
        assertThat(passes.results().get(0).command()).startsWith("nodetool ");
        assertThat(passes.rows()).isEqualTo(allImported().size()).isPositive();
        passes.deleteUnlessBegun();
        assertThat(passesOnDisk()).isEqualTo(1);
    }

    @Test
    void aPassThatCannotBeWrittenIsNotBegun() throws Exception {
        open(4);
        atImport = () -> {
            if (opened == 2) {
                sorter.close(); // as if the spilled rows could not be read
            }
        };
        assertThatThrownBy(() -> passes.run(sorter)).isInstanceOf(RuntimeException.class);
        assertThat(passes.finished()).isLessThan(4);
        assertThat(passes.rows()).isEqualTo(allImported().size());
        assertThat(passesOnDisk()).isZero();
    }

    @Test
    void endsAfterThePassInWhichItIsStopped() throws Exception {
        open(4);
        List<Boolean> stops = new ArrayList<>();
        atImport = () -> {
            stops.add(passes.stop());
            sorter.stop();
        };
        assertThatThrownBy(() -> passes.run(sorter))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.WRITE))
                .hasMessage("it was stopped after 1 of 4 passes: nodes have the rows of these only");
        assertThat(stops).containsExactly(false);
        assertThat(passes.finished()).isEqualTo(1);
        assertThat(passesOnDisk()).isZero();
        assertThat(passes.rows()).isEqualTo(allImported().size());
    }

    @Test
    void importsNothingIfItIsStoppedBefore() throws Exception {
        open(4);
        assertThat(passes.stop()).isTrue();
        assertThat(passes.run(sorter)).isFalse();
        passes.deleteUnlessBegun();
        assertThat(allImported()).isEmpty();
        assertThat(passes.results()).isEmpty();
        assertThat(passesOnDisk()).isZero();
    }

    private JobTimes times() {
        JobTimes reading = new JobTimes(100, 20, 0, List.of());
        return passes.times(reading, new SstableSorter.Times(5, 40, 10), /* threads */ 2);
    }

    @Test
    void allThreadsWaitForTheNodesWhenNothingIsLeftToWrite() throws Exception {
        open(1);
        assertThat(times()).isEqualTo(new JobTimes(140, 20, 10, 5, 0, List.of()));
        List<Long> meanwhile = new ArrayList<>();
        atImport = () -> meanwhile.add(times().importNanos());
        passes.run(sorter);
        JobTimes after = times();
        assertThat(meanwhile.get(0)).isPositive();
        assertThat(meanwhile.get(1)).isGreaterThan(meanwhile.get(0));
        assertThat(after.importNanos()).isGreaterThan(meanwhile.get(1)).isEven();
        assertThat(after.threadNanos()).isEqualTo(140 + after.importNanos());
        assertThat(times()).isEqualTo(after);
    }
}
