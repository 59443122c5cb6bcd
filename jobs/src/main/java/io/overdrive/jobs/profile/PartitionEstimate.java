package io.overdrive.jobs.profile;

import io.overdrive.jobs.PartitionSample;
import io.overdrive.jobs.profile.LargestPartitions.Certain;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The sizes of the partitions of files. If these are more than a sample keeps, partitions that surely are among the largest count one by one,
 * as a sample would mostly miss them, and the others are estimated from the sample. Confined to one thread.
 */
final class PartitionEstimate {
    /** Estimates of runs from a sample have a standard error of about 1 %. */
    private static final double SURE = 0.05;

    final PartitionSizes sizes = new PartitionSizes();
    /** The number of partitions from which the figures are estimated. */
    final long sampled;

    final boolean isExact;
    /** The number of sequences of rows of one partition. */
    final double runs;

    /** @param bytesOfRow the mean size of a row */
    PartitionEstimate(FilePart all, double bytesOfRow) {
        PartitionSample sample = all.partitions;
        isExact = sample.factor() == 1;
        List<Certain> certain = isExact ? List.of() : all.largest.certain();
        Set<Long> tokens = certain.stream().map(Certain::token).collect(Collectors.toSet());
        sample.addSizes(sizes::add, tokens);
        int added = 0;
        for (Certain each : certain) {
            if (!sample.addSize(sizes::add, each.token())) {
                sizes.add(each.rows(), Math.round(each.rows() * bytesOfRow));
                added++;
            }
        }
        sampled = (long) sample.kept() + added;
        double others = sample.runs(tokens);
        double rest = all.runs - others;
        runs = isExact ? all.runs : others + (rest - certain.size() > SURE * others ? rest : certain.size());
    }
}
