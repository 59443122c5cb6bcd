package io.overdrive.jobs.profile;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.profile.Profile.Bucket;
import io.overdrive.jobs.profile.Profile.KeyCandidate;
import io.overdrive.jobs.profile.Profile.Partitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Advice on a load that follows from the figures of a profile. Stateless. */
final class Advice {
    /** Cassandra's developers advise partitions below both. */
    static final long LARGE_ROWS = 100_000;

    static final long LARGE_BYTES = 100_000_000;
    /** A load over CQL that takes longer is worth the preparation of one by SSTables. */
    private static final Duration WORTH_SSTABLES = Duration.ofMinutes(1);

    private static final double MUCH = 0.5;
    private static final double SOME = 0.05;

    private Advice() {}

    /** Advice about a file whose key is not known. */
    static List<MessageText> withoutKey(List<KeyCandidate> keys) {
        if (keys.isEmpty()) {
            return List.of(words -> "no set of up to three columns identifies a row: give the key by "
                    + words.of(JobOption.KEY) + ", for partitions and the expected time of a load");
        }
        String columns = keys.get(0).columns().stream().map(Mapping::spelt).collect(Collectors.joining(", "));
        return List.of(words -> "choose the key, and give it for partitions and the expected time of a load: "
                + words.of(JobOption.KEY) + " \"" + columns + "\"");
    }

    static List<MessageText> of(Partitions partitions, Forecast forecast) {
        List<MessageText> advice = new ArrayList<>();
        double large = Math.max(atLeast(partitions.byRows(), LARGE_ROWS), atLeast(partitions.byBytes(), LARGE_BYTES));
        if (large > 0) {
            advice.add(MessageText.plain(String.format(
                    Locale.ROOT,
                    "%s%,d %s %,d rows or more, or 100 MB: Cassandra reads, repairs and compacts %s slowly; add a"
                            + " column to the partition key, such as a day",
                    partitions.isExact() ? "" : "about ",
                    Math.round(large),
                    Math.round(large) == 1 ? "partition has" : "partitions have",
                    LARGE_ROWS,
                    Math.round(large) == 1 ? "it" : "them")));
        }
        if (partitions.singleRowsShare() >= MUCH) {
            advice.add(MessageText.plain(String.format(
                    Locale.ROOT,
                    "%.0f %% of the rows are the only ones of their partition: grouping cannot help these",
                    100 * partitions.singleRowsShare())));
        }
        if (partitions.outOfOrderShare() >= SOME) {
            advice.add(words ->
                    "rows of a partition are apart in the input: a load brings them together in its memory, and on disk if"
                            + " need be, so that sorting them before is not needed");
        }
        if (partitions.repeatedKeys() > 0) {
            advice.add(words -> (partitions.isRepeatedExact() ? "" : "at least ")
                    + String.format(Locale.ROOT, "%,d", partitions.repeatedKeys())
                    + (partitions.repeatedKeys() == 1 ? " row has" : " rows have")
                    + " the key of an earlier row, and would overwrite it: if these are separate rows, "
                    + words.of(JobOption.KEY) + " needs more columns");
        }
        boolean sstables = forecast.cql().compareTo(WORTH_SSTABLES) >= 0;
        advice.add(words -> sstables
                ? "load by " + words.of(JobOption.SSTABLES) + ", which costs the nodes a small part of a load over CQL"
                : "load over CQL: it takes less than a minute");
        return advice;
    }

    private static double atLeast(List<Bucket> buckets, long size) {
        return buckets.stream()
                .filter(bucket -> bucket.from() >= size)
                .mapToDouble(Bucket::partitions)
                .sum();
    }
}
