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
    private static final String ROW_BYTES = "rowBytes";
    private static final String ALL_BYTES = "allBytes";

    private final FoundSizes store;
    private final FoundSizes session;
    private final String job;
    private final String inSession;

    /**
     * @param table with its keyspace
     * @param statement as the server prepared it; only its hash is kept, as it may contain values
     */
    public RememberedSizes(Transport transport, String table, String statement) {
        this.store = transport.foundSizes();
        this.session = transport.sessionSizes();
        this.inSession = table + "/" + hash(statement) + "/";
        this.job = store == FoundSizes.NONE ? "" : cluster(transport.metadata()) + "/" + inSession;
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

    /** The size of a row in the last read over the same session, as {@link #keepRowBytes} got it; 0 if there was none. */
    public int rowBytes() {
        return session.find(inSession + ROW_BYTES).orElse(0);
    }

    /** Keeps the size of a row, if it is known: more than 0. */
    public void keepRowBytes(int bytes) {
        if (bytes > 0) {
            session.keep(inSession + ROW_BYTES, bytes);
        }
    }

    /** Bytes of all rows in the last complete read over the same session; 0 if there was none. */
    public int allBytes() {
        return session.find(inSession + ALL_BYTES).orElse(0);
    }

    /** Keeps the bytes of all rows; 2 GiB stand for more. */
    public void keepAllBytes(long bytes) {
        session.keep(inSession + ALL_BYTES, (int) Math.min(bytes, Integer.MAX_VALUE));
    }
}
