package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.sstable.handover.FakeNode.Import41;
import io.overdrive.sstable.handover.HandOver.Share;
import io.overdrive.sstable.sort.TokenOwners;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import javax.management.JMException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes with one range of tokens each. */
class HandOverTest {
    private static final UUID ONE = new UUID(0, 1);
    private static final UUID TWO = new UUID(0, 2);
    private static final UUID TABLE = new UUID(7, 7);
    private static final Map<String, String> REPLICATION = Map.of("class", "NetworkTopologyStrategy", "dc1", "1");
    private static final DroppedColumns NO_DROPS = new DroppedColumns(Map.of());
    private static final Placement BEFORE = placement(Map.of(ONE, Set.of("0"), TWO, Set.of("100", "200")));

    private final Path root;
    private final List<FakeNode> fakes = new ArrayList<>();
    private final Map<Integer, NodeBeans> beans = new HashMap<>();
    private final List<String> taken = new ArrayList<>();
    /** The nodes' behaviour at an import; by default they take all. */
    private Runnable atImport = () -> {};

    private boolean isRefused;
    private boolean isIgnored;
    private Supplier<Placement> placementNow = () -> BEFORE;
    /** Waits before it asked again. */
    private final List<Duration> pauses = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Staging staging;

    @SuppressWarnings("NullAway.Init")
    private HandOver handOver;

    HandOverTest(@TempDir Path directory) {
        root = directory.resolve("overdrive-import-1-7");
    }

    private static Placement placement(Map<UUID, Set<String>> tokens) {
        Map<UUID, LongBuffer> sorted = new HashMap<>();
        tokens.forEach((node, each) -> sorted.put(node, Placement.sorted(each.stream())));
        return new Placement(sorted, REPLICATION, TABLE, NO_DROPS, null);
    }

    @BeforeEach
    void start() throws IOException, JMException {
        List<JmxAccess.Address> addresses = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            FakeNode fake = new FakeNode(Import41.class, Map.of(), this::imported);
            fakes.add(fake);
            addresses.add(fake.address());
        }
        JmxAccess jmx = new JmxAccess(addresses, null, null);
        for (int i = 0; i < 2; i++) {
            beans.put(i, NodeBeans.open(addresses.get(i), jmx));
        }
        staging = Staging.create(root, "ks", "t", List.of("10.0.0.1:9042", "10.0.0.2:9042"), /* isShared */ false);
        handOver = handOver(new SstableOptions(jmx, /* ssh */ null, /* sidecar */ null, root));
    }

    private HandOver handOver(SstableOptions options) {
        ScriptedTransport cluster = new ScriptedTransport(2);
        return new HandOver(
                new Importers(
                        CqlIdentifier.fromInternal("ks"),
                        CqlIdentifier.fromInternal("t"),
                        options,
                        new Replicas(
                                List.of(cluster.node(0), cluster.node(1)),
                                new TokenOwners(List.of(0L, 200L), List.of(new int[] {0}, new int[] {1})),
                                BEFORE),
                        List::of,
                        beans),
                () -> placementNow.get(),
                List.of("id", "v"),
                staging,
                nanos -> pauses.add(Duration.ofNanos(nanos)));
    }

    @AfterEach
    void stop() throws IOException {
        handOver.close();
        for (FakeNode fake : fakes) {
            fake.close();
        }
    }

    /** Called by threads of the fakes. */
    private synchronized List<String> imported(Set<String> directories) {
        atImport.run();
        if (isRefused) {
            return List.copyOf(directories);
        }
        for (String directory : directories) {
            if (!isIgnored) {
                try {
                    Files.delete(Path.of(directory, "nb-1-big-Data.db"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            taken.add(root.relativize(Path.of(directory)).toString());
        }
        return List.of();
    }

    private boolean run() throws IOException {
        for (int i = 0; i < 2; i++) {
            Files.createFile(staging.sstables(i).resolve("nb-1-big-Data.db"));
        }
        return handOver.run(List.of(new Share(1, 10, 100), new Share(1, 20, 100)), new long[] {10, 20});
    }

    private void assertNothingWasImported() throws IOException {
        assertThat(fakes).allSatisfy(fake -> assertThat(fake.imports).isEmpty());
        assertThat(staging.hasSstables(0)).isTrue();
        assertThat(staging.hasSstables(1)).isTrue();
    }

    @Test
    void eachNodeImportsItsOwn() throws IOException {
        assertThat(run()).isTrue();
        assertThat(taken).containsExactly("10.0.0.1_9042/ks/t", "10.0.0.2_9042/ks/t");
        assertThat(handOver.rows()).isEqualTo(30);
        assertThat(handOver.results()).extracting(ImportResult::isImported).containsExactly(true, true);
        assertThat(root).doesNotExist();
    }

    @Test
    void doesNotBeginIfItIsStoppedWhenTheLastSstableIsWritten() throws IOException {
        placementNow = () -> {
            assertThat(handOver.stop()).isTrue();
            return BEFORE;
        };
        assertThat(run()).isFalse();
        assertThat(handOver.stop()).isTrue();
        assertThat(handOver.results()).isEmpty();
        assertNothingWasImported();
    }

    @Test
    void goesOnToTheLastNodeOnceItHasBegun() throws IOException {
        List<Boolean> stops = new ArrayList<>();
        atImport = () -> stops.add(handOver.stop());
        assertThat(run()).isTrue();
        assertThat(stops).containsExactly(false, false);
        assertThat(taken).hasSize(2);
        assertThat(handOver.rows()).isEqualTo(30);
    }

    @Test
    void saysMeanwhileWhatIsNotFinished() throws IOException {
        List<List<ImportResult>> meanwhile = new ArrayList<>();
        List<Long> rows = new ArrayList<>();
        atImport = () -> {
            meanwhile.add(handOver.results());
            rows.add(handOver.rows());
        };
        assertThat(run()).isTrue();
        assertThat(rows).containsExactly(0L, 10L);
        assertThat(meanwhile.get(0)).extracting(ImportResult::isImported).containsExactly(false, false);
        assertThat(meanwhile.get(1)).extracting(ImportResult::isImported).containsExactly(true, false);
        ImportResult second = meanwhile.get(1).get(1);
        assertThat(second.problem()).isEqualTo("its import was not finished");
        assertThat(second.command())
                .isEqualTo("nodetool -p " + fakes.get(1).address().port() + " import ks t " + root
                        + "/10.0.0.2_9042/ks/t");
    }

    @Test
    void keepsWhatANodeRefuses() throws IOException {
        isRefused = true;
        assertThatThrownBy(this::run)
                .isInstanceOf(OverdriveException.class)
                .hasMessage("2 of 2 nodes have not imported their SSTables, which are kept in " + root
                        + ": 10.0.0.1:9042: it has refused the SSTables in " + root
                        + "/10.0.0.1_9042/ks/t; its log says why");
        assertThat(handOver.rows()).isZero();
        assertThat(staging.hasSstables(1)).isTrue();
    }

    @Test
    void noticesAnImportThatDoesNothing() throws IOException {
        isIgnored = true;
        assertThatThrownBy(this::run)
                .hasMessageContaining("10.0.0.1:9042: it has found no SSTable that it takes in " + root);
        assertThat(taken).hasSize(2);
        assertThat(handOver.rows()).isZero();
        assertThat(staging.hasSstables(1)).isTrue();
    }

    private void assertNotHandedOver(String change) throws IOException {
        assertThatThrownBy(this::run)
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "since the run began, " + change + ": its SSTables were written for what was there then,"
                                + " so none was handed over; run it again when no node joins, leaves or moves (nodetool status)");
        assertThat(handOver.results()).isEmpty();
        assertNothingWasImported();
    }

    @Test
    void importsNothingIfANodeHasJoined() throws IOException {
        UUID three = new UUID(0, 3);
        placementNow = () -> placement(Map.of(ONE, Set.of("0"), TWO, Set.of("100", "200"), three, Set.of("300")));
        assertNotHandedOver("node " + three + " has joined");
    }

    @Test
    void importsNothingIfANodeHasLeft() throws IOException {
        placementNow = () -> placement(Map.of(ONE, Set.of("0")));
        assertNotHandedOver("node " + TWO + " has left");
    }

    @Test
    void importsNothingIfTokensWereMoved() throws IOException {
        placementNow = () -> placement(Map.of(ONE, Set.of("0"), TWO, Set.of("100", "250")));
        assertNotHandedOver("node " + TWO + " has other tokens");
    }

    @Test
    void importsNothingIfTheReplicationWasChanged() throws IOException {
        placementNow = () -> new Placement(
                BEFORE.tokens(), Map.of("class", "NetworkTopologyStrategy", "dc1", "2"), TABLE, NO_DROPS, null);
        assertNotHandedOver("the replication of the keyspace was changed");
    }

    @Test
    void importsNothingIfTheKeyspaceWasDropped() throws IOException {
        placementNow = () -> new Placement(BEFORE.tokens(), Map.of(), null, NO_DROPS, null);
        assertNotHandedOver("the keyspace was dropped");
    }

    @Test
    void importsNothingIfTheTableIsAnotherOne() throws IOException {
        placementNow = () -> new Placement(BEFORE.tokens(), REPLICATION, new UUID(7, 8), NO_DROPS, null);
        assertNotHandedOver("the table was dropped and created");
    }

    @Test
    void importsNothingIfTheTableWasDropped() throws IOException {
        placementNow = () -> new Placement(BEFORE.tokens(), REPLICATION, null, NO_DROPS, null);
        assertNotHandedOver("the table was dropped");
    }

    @Test
    void importsNothingIfAColumnOfTheRowsWasDropped() throws IOException {
        placementNow = () -> new Placement(BEFORE.tokens(), REPLICATION, TABLE, dropped("v"), null);
        assertNotHandedOver(
                "column \"v\" was dropped at 2026-01-01T00:00:00Z, and values from before do not count, even if"
                        + " it was added again");
    }

    private static DroppedColumns dropped(String column) {
        return new DroppedColumns(Map.of(column, Instant.parse("2026-01-01T00:00:00Z")));
    }

    @Test
    void otherColumnsMayBeDropped() throws IOException {
        placementNow = () -> new Placement(BEFORE.tokens(), REPLICATION, TABLE, dropped("w"), null);
        assertThat(run()).isTrue();
        assertThat(taken).hasSize(2);
    }

    @Test
    void saysThatAColumnWasDroppedDuringTheImport() throws IOException {
        atImport = () -> placementNow = () -> new Placement(BEFORE.tokens(), REPLICATION, TABLE, dropped("v"), null);
        assertThatThrownBy(this::run).hasMessageStartingWith("while nodes imported, column \"v\" was dropped at ");
    }

    @Test
    void importsNothingIfTheTableGotWhatAnImportLeavesOut() throws IOException {
        placementNow = () -> new Placement(
                BEFORE.tokens(), REPLICATION, TABLE, NO_DROPS, "has the trigger t, which an import does not run");
        assertNotHandedOver("the table was changed, and has the trigger t, which an import does not run");
    }

    @Test
    void importsNothingIfANodeJoins() throws IOException {
        fakes.forEach(fake -> fake.joining.add("10.0.0.3:7000"));
        assertNotHandedOver("node 10.0.0.3:7000 is joining");
    }

    @Test
    void asksAnotherNodeIfOneDoesNotAnswer() throws IOException {
        fakes.get(0).close();
        fakes.get(1).leaving.add("10.0.0.3:7000");
        assertNotHandedOver("node 10.0.0.3:7000 is leaving");
        fakes.remove(0);
    }

    @Test
    void goesOnIfANodeDoesNotAnswerAnyMore() throws IOException {
        fakes.remove(0).close();
        assertThatThrownBy(this::run)
                .hasMessageStartingWith("1 of 2 nodes has not imported its SSTables, which are kept in " + root
                        + ": 10.0.0.1:9042: it does not answer over JMX any more (")
                .hasMessageEndingWith("), and may have taken some of them");
        assertThat(handOver.rows()).isEqualTo(20);
        assertThat(staging.hasSstables(0)).isTrue();
    }

    @Test
    void keepsEverythingIfTheRingCannotBeRead() throws IOException {
        placementNow = () -> {
            throw new IllegalStateException("no node answers");
        };
        assertThatThrownBy(this::run)
                .hasMessage("2 of 2 nodes have not imported their SSTables, which are kept in " + root
                        + ": 10.0.0.1:9042: nothing was imported, because it cannot be found out whether rows still"
                        + " belong to the same nodes: no node answers");
        assertThat(handOver.results())
                .allSatisfy(result -> assertThat(result.command()).startsWith("nodetool -p "));
        assertThat(pauses).hasSize(4);
        assertNothingWasImported();
    }

    @Test
    void asksAgainIfTheRingCannotBeRead() throws IOException {
        Iterator<Boolean> isRead = List.of(false, true, false, false, true).iterator();
        placementNow = () -> {
            if (!isRead.next()) {
                throw new IllegalStateException("no node answers");
            }
            return BEFORE;
        };
        assertThat(run()).isTrue();
        assertThat(isRead).isExhausted();
        assertThat(pauses).hasSize(3).containsOnly(Duration.ofMillis(500));
        assertThat(root).doesNotExist();
    }

    @Test
    void saysIfItCannotBeSeenWhetherTheRingHasChangedDuringTheImport() throws IOException {
        atImport = () -> placementNow = () -> {
            throw new IllegalStateException("no node answers");
        };
        assertThatThrownBy(this::run)
                .hasMessage(
                        "all nodes have imported their SSTables, but it cannot be found out whether rows still belong to"
                                + " the same nodes: no node answers; if a node has joined, left or moved meanwhile (nodetool"
                                + " status), run it again, or nodetool repair -full ks");
        assertThat(handOver.rows()).isEqualTo(30);
        assertThat(handOver.results()).extracting(ImportResult::isImported).containsExactly(true, true);
        assertThat(root).doesNotExist();
    }

    @Test
    void saysIfItCannotBeSeenWhetherTheRingHasChangedSinceScriptsWereMadeForIt() throws IOException {
        handOver = handOver(new SstableOptions(/* jmx */ null, /* ssh */ null, /* sidecar */ null, root));
        placementNow = () -> {
            throw new IllegalStateException("no node answers");
        };
        assertThatThrownBy(this::run)
                .hasMessage(
                        "the SSTables are in " + root + ", but it cannot be found out whether rows still belong to the"
                                + " same nodes: no node answers; import them only if no node has joined, left or moved since the"
                                + " run began (nodetool status)");
        assertThat(root.resolve("10.0.0.1_9042/import.sh")).exists();
        assertNothingWasImported();
    }

    @Test
    void saysThatTheRingHasChangedDuringTheImport() throws IOException {
        atImport = () -> placementNow = () -> placement(Map.of(ONE, Set.of("0")));
        assertThatThrownBy(this::run)
                .hasMessage("while nodes imported, node " + TWO
                        + " has left: nodes may lack rows or values; when no node joins,"
                        + " leaves or moves (nodetool status), run it again, or nodetool repair -full ks");
        assertThat(handOver.rows()).isEqualTo(30);
        assertThat(root).doesNotExist();
    }
}
