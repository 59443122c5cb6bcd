package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.metadata.Metadata;
import io.overdrive.FoundSizes;
import io.overdrive.internal.flow.SizeSearch;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.internal.wire.Transport;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The sizes that earlier jobs with the same statement have found on this cluster, and those that this job leaves to later ones.
 * Immutable.
 */
public final class RememberedSizes {
    private final FoundSizes store;
    private final String job;

    /**
     * @param table with its keyspace
     * @param statement as the server prepared it; only its hash is kept, as it may contain values
     */
    public RememberedSizes(Transport transport, String table, String statement) {
        this.store = transport.foundSizes();
        this.job = store == FoundSizes.NONE
                ? ""
                : cluster(transport.metadata()) + "/" + table + "/" + hash(statement) + "/";
    }

    /** Other clusters may have the same name. */
    private static String cluster(Metadata metadata) {
        String nodes = metadata.getNodes().keySet().stream()
                .map(UUID::toString)
                .sorted()
                .collect(Collectors.joining());
        return metadata.getClusterName().orElse("") + "-" + hash(nodes);
    }

    private static String hash(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Long.toHexString(Murmur3.token(bytes, 0, bytes.length));
    }

    /**
     * A search that begins with the size that an earlier job has found, if that is within the bounds, or else with the default.
     *
     * @param setting name of the size
     * @param unit as in {@link SizeSearch}
     */
    public SizeSearch search(String setting, int byDefault, int min, int max, String unit) {
        OptionalInt found = store.find(job + setting);
        boolean isKnown = found.isPresent() && found.getAsInt() >= min && found.getAsInt() <= max;
        return new SizeSearch(isKnown ? found.getAsInt() : byDefault, min, max, unit, isKnown);
    }

    /** Keeps the size that this job has found, if any. */
    public void keep(String setting, OptionalInt found) {
        found.ifPresent(size -> store.keep(job + setting, size));
    }
}
