package io.overdrive.bench.run;

import io.overdrive.bench.Arm;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which arms of an experiment are run: those with one of the chosen levels of each factor that is named. Immutable.
 *
 * @param levels the chosen levels of a factor; empty: all arms
 */
public record Selection(Map<String, Set<String>> levels) {
    public static final Selection ALL = new Selection(Map.of());

    /**
     * Reads texts such as {@code "writer=linger 5 ms"}; of several levels of the same factor, any will do.
     *
     * @throws IllegalArgumentException if one has no {@code =}
     */
    public static Selection parse(List<String> texts) {
        Map<String, Set<String>> levels = new LinkedHashMap<>();
        for (String text : texts) {
            int end = text.indexOf('=');
            if (end < 1) {
                throw new IllegalArgumentException(
                        "--only is '" + text + "', must be FACTOR=LEVEL, such as 'writer=linger 5 ms'");
            }
            levels.computeIfAbsent(text.substring(0, end).strip(), factor -> new LinkedHashSet<>())
                    .add(text.substring(end + 1).strip());
        }
        return new Selection(levels);
    }

    /**
     * The chosen ones of these arms.
     *
     * @throws IllegalArgumentException if no arm has such a factor or level
     */
    public List<Arm> of(List<Arm> arms) {
        levels.forEach((factor, chosen) -> requireKnown(arms, factor, chosen));
        List<Arm> selected = arms.stream()
                .filter(arm -> levels.entrySet().stream().allMatch(entry -> entry.getValue()
                        .contains(arm.levels().get(entry.getKey()))))
                .toList();
        if (selected.isEmpty()) {
            throw new IllegalArgumentException("--only selects no variant: no variant has all these levels");
        }
        return selected;
    }

    private static void requireKnown(List<Arm> arms, String factor, Set<String> chosen) {
        Set<String> known = new LinkedHashSet<>();
        Set<String> factors = new LinkedHashSet<>();
        for (Arm arm : arms) {
            factors.addAll(arm.levels().keySet());
            String level = arm.levels().get(factor);
            if (level != null) {
                known.add(level);
            }
        }
        if (known.isEmpty()) {
            throw new IllegalArgumentException(
                    "--only names the factor '" + factor + "'; the experiment has " + quoted(factors));
        }
        for (String level : chosen) {
            if (!known.contains(level)) {
                throw new IllegalArgumentException("--only names the level '" + level + "' of the factor '" + factor
                        + "'; the experiment has " + quoted(known));
            }
        }
    }

    private static String quoted(Set<String> names) {
        return "'" + String.join("', '", names) + "'";
    }
}
