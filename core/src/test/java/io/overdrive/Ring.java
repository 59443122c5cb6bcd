package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.overdrive.Split.Range;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The ring that nodes of one rack report, and the replicas that splits have on it. */
final class Ring {
    /** The token at which an arc ends, and the node that owns it. */
    private final NavigableMap<Long, String> owners = new TreeMap<>();

    Ring(Overdrive overdrive) {
        SimpleStatement question = SimpleStatement.newInstance("SELECT rpc_address, tokens FROM system.local");
        for (var node : overdrive.session().getMetadata().getNodes().values()) {
            Row self = Objects.requireNonNull(
                    overdrive.session().execute(question.setNode(node)).one());
            String host =
                    Objects.requireNonNull(self.getInetAddress("rpc_address")).getHostAddress();
            Objects.requireNonNull(self.getSet("tokens", String.class))
                    .forEach(token -> owners.put(Long.parseLong(token), host));
        }
    }

    /** The replicas are the owners of the next tokens around the ring. */
    private Set<String> replicas(long token, int count) {
        Set<String> replicas = new LinkedHashSet<>();
        Stream.concat(owners.tailMap(token, true).values().stream(), owners.values().stream())
                .forEach(owner -> {
                    if (replicas.size() < count) {
                        replicas.add(owner);
                    }
                });
        return replicas;
    }

    int tokens() {
        return owners.size();
    }

    /** Asserts that splits are the whole ring, and that each knows the replicas of all its arcs. */
    void assertReplicas(List<Split> splits, int count) {
        for (Split split : splits) {
            for (Range range : split.ranges()) {
                Set<Long> lastTokens = new LinkedHashSet<>(
                        owners.subMap(range.start(), false, range.end(), true).keySet());
                lastTokens.add(range.end());
                assertThat(lastTokens).as("last tokens of arcs in %s", range).allSatisfy(token -> assertThat(
                                split.replicas())
                        .containsExactlyInAnyOrderElementsOf(replicas(token, count)));
            }
        }
        List<Range> ranges = splits.stream()
                .flatMap(split -> split.ranges().stream())
                .sorted(Comparator.comparingLong(Range::start))
                .toList();
        assertThat(ranges.get(0).start()).isEqualTo(Split.WHOLE_RING.start());
        assertThat(ranges.get(ranges.size() - 1).end()).isEqualTo(Split.WHOLE_RING.end());
        for (int i = 1; i < ranges.size(); i++) {
            assertThat(ranges.get(i).start()).isEqualTo(ranges.get(i - 1).end());
        }
    }
}
