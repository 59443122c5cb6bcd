package io.overdrive.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One of the variants that an experiment compares: a level for each of its factors, such as order = shuffled, grouping = partition.
 *
 * @param levels factor to level, in the order of the experiment's factors; both are shown in reports
 */
public record Arm(Map<String, String> levels) {
    private static final Pattern NUMBER = Pattern.compile("([0-9][0-9,]*(?:\\.[0-9]+)?)(?: ?([kKMG])(i?)(?:B|\\b))?.*");

    public Arm {
        levels = Collections.unmodifiableMap(new LinkedHashMap<>(levels));
    }

    /** An arm for each combination of levels, texts or enums; the last factor varies fastest. */
    @SafeVarargs
    public static List<Arm> grid(Map.Entry<String, ? extends List<?>>... factors) {
        return grid(List.of(factors));
    }

    /** As {@link #grid(Map.Entry[])}. */
    public static List<Arm> grid(List<? extends Map.Entry<String, ? extends List<?>>> factors) {
        List<Map<String, String>> combinations = List.of(Map.of());
        for (Map.Entry<String, ? extends List<?>> factor : factors) {
            List<Map<String, String>> longer = new ArrayList<>();
            for (Map<String, String> combination : combinations) {
                for (Object level : factor.getValue()) {
                    Map<String, String> levels = new LinkedHashMap<>(combination);
                    levels.put(factor.getKey(), level.toString());
                    longer.add(levels);
                }
            }
            combinations = longer;
        }
        return combinations.stream().map(Arm::new).toList();
    }

    /** @throws IllegalArgumentException if there is no such factor */
    public String level(String factor) {
        String level = levels.get(factor);
        if (level == null) {
            throw new IllegalArgumentException("no factor '" + factor + "' in " + levels);
        }
        return level;
    }

    /**
     * The level of a factor whose levels are an enum, by their {@code toString}.
     *
     * @throws IllegalArgumentException if it is none of these, or there is no such factor
     */
    public <E extends Enum<E>> E level(String factor, Class<E> levels) {
        String level = level(factor);
        return Stream.of(levels.getEnumConstants())
                .filter(constant -> constant.toString().equals(level))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        factor + " '" + level + "' is none of " + List.of(levels.getEnumConstants())));
    }

    /**
     * The number that a level begins with: 4000 for {@code 4,000 op/s}, 32000 for {@code 32 kB}, 1024 for {@code 1 KiB}.
     *
     * @throws IllegalArgumentException if the level is no number, or there is no such factor
     */
    public double number(String factor) {
        Matcher matcher = NUMBER.matcher(level(factor));
        if (!matcher.matches()) {
            throw new IllegalArgumentException(factor + " '" + level(factor) + "' does not begin with a number");
        }
        double number = Double.parseDouble(matcher.group(1).replace(",", ""));
        return matcher.group(2) == null
                ? number
                : number
                        * Math.pow(
                                matcher.group(3).isEmpty() ? 1000 : 1024,
                                1 + "kMG".indexOf(matcher.group(2).replace('K', 'k')));
    }

    /** The levels, without their factors: {@code shuffled, partition}. */
    @Override
    public String toString() {
        return String.join(", ", levels.values());
    }
}
