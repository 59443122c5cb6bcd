package io.overdrive.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.MemoryOfSizes;
import io.overdrive.internal.flow.SizeSearch;
import io.overdrive.internal.wire.ScriptedTransport;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RememberedSizesTest {
    private final MemoryOfSizes store = new MemoryOfSizes();
    private final ScriptedTransport cluster = new ScriptedTransport(2);

    RememberedSizesTest() {
        cluster.foundSizes = store;
    }

    private RememberedSizes sizes(ScriptedTransport of, String table, String statement) {
        return new RememberedSizes(of, table, statement);
    }

    @Test
    void keyHasClusterTableAndSettingAndOnlyTheHashOfTheStatement() {
        sizes(cluster, "shop.orders", "SELECT * FROM shop.orders WHERE card = '4711'")
                .keep("pageBytes", OptionalInt.of(1));
        assertThat(store.values.keySet())
                .singleElement()
                .asString()
                .matches("scripted-[0-9a-f]+/shop\\.orders/[0-9a-f]+/pageBytes")
                .doesNotContain("4711");
    }

    @Test
    void otherClustersTablesStatementsAndSettingsHaveTheirOwn() {
        sizes(cluster, "ks.t", "a").keep("pageBytes", OptionalInt.of(1));
        sizes(cluster, "ks.t", "b").keep("pageBytes", OptionalInt.of(2));
        sizes(cluster, "ks.u", "a").keep("pageBytes", OptionalInt.of(3));
        sizes(cluster, "ks.t", "a").keep("batchBytes", OptionalInt.of(4));
        ScriptedTransport other = new ScriptedTransport(3); // with the same number, the nodes would be the same
        other.foundSizes = store;
        sizes(other, "ks.t", "a").keep("pageBytes", OptionalInt.of(5));
        sizes(cluster, "ks.t", "a").keep("pageBytes", OptionalInt.of(6));
        assertThat(store.values).hasSize(5);
        assertThat(store.values.values()).containsExactlyInAnyOrder(2, 3, 4, 5, 6);
    }

    @Test
    void keepsNothingThatWasNotFound() {
        sizes(cluster, "ks.t", "a").keep("pageBytes", OptionalInt.empty());
        assertThat(store.values).isEmpty();
    }

    @Test
    void beginsWithWhatWasKeptIfItIsWithinTheBounds() {
        RememberedSizes sizes = sizes(cluster, "ks.t", "a");
        for (int kept : new int[] {64, 100, 1024}) {
            sizes.keep("pageBytes", OptionalInt.of(kept));
            assertBeginsWith(sizes.search("pageBytes", 512, 64, 1024, "bytes"), kept);
        }
        for (int kept : new int[] {0, -1, 63, 1025, Integer.MAX_VALUE}) {
            sizes.keep("pageBytes", OptionalInt.of(kept));
            assertBeginsWith(sizes.search("pageBytes", 512, 64, 1024, "bytes"), 512);
        }
        assertBeginsWith(sizes.search("splitsInFlight", 4, 1, 16, "splits"), 4);
    }

    private static void assertBeginsWith(SizeSearch search, int size) {
        assertThat(search).hasFieldOrPropertyWithValue("best", size);
    }

    @Test
    void keepsNothingByDefault() {
        ScriptedTransport byDefault = new ScriptedTransport(1);
        sizes(byDefault, "ks.t", "a").keep("pageBytes", OptionalInt.of(64));
        assertBeginsWith(sizes(byDefault, "ks.t", "a").search("pageBytes", 512, 64, 1024, "bytes"), 512);
    }

    @Test
    void sizesOfWhatWasReadStayInTheSession() {
        RememberedSizes sizes = sizes(cluster, "ks.t", "a");
        assertThat(sizes.rowBytes()).isZero();
        assertThat(sizes.allBytes()).isZero();
        sizes.keepRowBytes(100);
        sizes.keepRowBytes(0);
        sizes.keepAllBytes(1L << 40);
        RememberedSizes later = sizes(cluster, "ks.t", "a");
        assertThat(later.rowBytes()).isEqualTo(100);
        assertThat(later.allBytes()).isEqualTo(Integer.MAX_VALUE);
        assertThat(sizes(cluster, "ks.t", "b").rowBytes()).isZero();
        assertThat(sizes(cluster, "ks.u", "a").allBytes()).isZero();
        assertThat(sizes(new ScriptedTransport(2), "ks.t", "a").rowBytes()).isZero();
        assertThat(store.values).isEmpty();
    }
}
