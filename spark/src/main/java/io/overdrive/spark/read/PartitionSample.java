package io.overdrive.spark.read;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Where the rows of a large partition are, by the {@link Positions} of a clustering column: an estimate from a few rows at
 * each of many places, as the server has no figures of parts of a partition. Pure; confined to one thread.
 *
 * <p>Between two places, rows are assumed to be as dense as those read at the first one. If these all have the same value,
 * values are assumed to be as far apart as others are on average.
 */
final class PartitionSample {
    /** Read at each place. */
    static final int ROWS = 100;

    private static final int PLACES = 32;
    /** Number of rounds that look for more places with most rows. */
    private static final int ROUNDS = 2;
    /** Approximate maximum of places in a round. */
    private static final int MAX_PLACES = 200;

    private static final int GROWTH = 4;

    /** Positions of the rows read at a place, ascending, by the place. */
    private final NavigableMap<BigInteger, List<BigInteger>> read = new TreeMap<>();

    private final BigInteger end;
    private final UnaryOperator<BigInteger> floor;

    private PartitionSample(BigInteger end, UnaryOperator<BigInteger> floor) {
        this.end = end;
        this.floor = floor;
    }

    /**
     * @param floor the position, or the next one below it, from which rows can be read
     * @param reader of the first rows, at most {@link #ROWS}, at each of some places or after: their positions, ascending
     */
    static PartitionSample of(
            BigInteger min,
            BigInteger max,
            UnaryOperator<BigInteger> floor,
            Function<List<BigInteger>, List<List<BigInteger>>> reader) {
        PartitionSample sample = new PartitionSample(max.add(BigInteger.ONE), floor);
        sample.read(sample.evenly(min, sample.end, PLACES), reader);
        for (int round = 0; round < ROUNDS; round++) {
            List<BigInteger> more = sample.placesInBetween();
            if (more.isEmpty()) {
                break;
            }
            sample.read(more, reader);
        }
        return sample;
    }

    private void read(List<BigInteger> places, Function<List<BigInteger>, List<List<BigInteger>>> reader) {
        List<List<BigInteger>> rows = reader.apply(places);
        for (int i = 0; i < places.size(); i++) {
            read.put(places.get(i), rows.get(i));
        }
    }

    /** More places between those with the most rows in between, as far as there may be others than were read. */
    private List<BigInteger> placesInBetween() {
        double total = rows();
        TreeSet<BigInteger> places = new TreeSet<>();
        read.keySet().stream()
                .filter(place -> !isComplete(place))
                .sorted(Comparator.comparingDouble(place -> -rows(place)))
                .takeWhile(place -> places.size() < MAX_PLACES)
                .forEach(place -> {
                    places.addAll(evenly(place, endOf(place), (int) Math.ceil(rows(place) / total * PLACES)));
                    places.addAll(everFarther(place));
                });
        places.removeAll(read.keySet());
        return List.copyOf(places);
    }

    /**
     * Places from the first row at a place on, with growing distances that begin with the distance of the rows: finds
     * where most rows are and where they end, even if that is a tiny part of all positions.
     */
    private List<BigInteger> everFarther(BigInteger place) {
        List<BigInteger> rows = read.getOrDefault(place, List.of());
        BigInteger last = rows.get(rows.size() - 1);
        BigInteger distance = last.subtract(rows.get(0)).max(BigInteger.ONE);
        List<BigInteger> places = new ArrayList<>(List.of(floor.apply(rows.get(0)), floor.apply(last)));
        BigInteger to = endOf(place);
        BigInteger next = last.add(distance);
        while (next.compareTo(to) < 0 && places.size() < PLACES) {
            places.add(floor.apply(next));
            distance = distance.multiply(BigInteger.valueOf(GROWTH));
            next = last.add(distance);
        }
        return places;
    }

    /** Whether all rows up to the next place were read. */
    private boolean isComplete(BigInteger place) {
        List<BigInteger> rows = read.getOrDefault(place, List.of());
        return rows.size() < ROWS || rows.get(rows.size() - 1).compareTo(endOf(place)) >= 0;
    }

    private List<BigInteger> evenly(BigInteger from, BigInteger to, int count) {
        TreeSet<BigInteger> places = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            places.add(floor.apply(
                    from.add(to.subtract(from).multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(count)))));
        }
        return List.copyOf(places);
    }

    private BigInteger endOf(BigInteger place) {
        BigInteger next = read.higherKey(place);
        return next == null ? end : next;
    }

    /** Estimated rows of the partition. */
    double rows() {
        return read.keySet().stream().mapToDouble(this::rows).sum();
    }

    /** Estimated rows between a place and the next one. */
    private double rows(BigInteger place) {
        List<BigInteger> rows = read.getOrDefault(place, List.of());
        BigInteger to = endOf(place);
        long within = rows.stream().filter(row -> row.compareTo(to) < 0).count();
        if (isComplete(place)) {
            return within;
        }
        BigInteger last = rows.get(rows.size() - 1);
        double covered = last.subtract(place).doubleValue() + 1;
        if (rows.get(0).equals(last)) {
            covered = Math.max(covered, 1 + 2 * meanGap());
        }
        return within * Math.max(1, to.subtract(place).doubleValue() / covered);
    }

    /** Mean distance from a place to the first row there. */
    private double meanGap() {
        return read.entrySet().stream()
                .filter(each -> !each.getValue().isEmpty())
                .mapToDouble(
                        each -> each.getValue().get(0).subtract(each.getKey()).doubleValue())
                .average()
                .orElse(0);
    }

    /** Whether all rows at some place have the same value, so that there may be any number of them. */
    boolean isUnclear() {
        return read.values().stream()
                .anyMatch(rows -> rows.size() == ROWS && rows.get(0).equals(rows.get(ROWS - 1)));
    }

    /** Positions between parts of about as many rows each, ascending; fewer if there are not as many values. */
    List<BigInteger> cuts(int parts) {
        double total = rows();
        List<BigInteger> cuts = new ArrayList<>();
        double before = 0;
        for (Map.Entry<BigInteger, List<BigInteger>> each : read.entrySet()) {
            BigInteger from = each.getKey();
            double rows = rows(from);
            BigDecimal length = new BigDecimal(endOf(from).subtract(from));
            while (cuts.size() + 1 < parts) {
                double wanted = Math.max(0, total * (cuts.size() + 1) / parts - before);
                if (wanted >= rows) {
                    break;
                }
                cuts.add(from.add(length.multiply(BigDecimal.valueOf(wanted / rows), MathContext.DECIMAL128)
                        .toBigInteger()));
            }
            before += rows;
        }
        return cuts.stream()
                .distinct()
                .filter(cut -> cut.compareTo(read.firstKey()) > 0)
                .toList();
    }
}
