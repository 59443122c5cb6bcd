package io.overdrive.cli.options;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Replaces the Java names of settings in messages of the engine by the options of the command. Stateless.
 */
public final class OptionNames {
    /** Settings whose options have another name. */
    private static final Map<String, String> OTHER_NAMES = Map.ofEntries(
            Map.entry("mapping", "--map"),
            Map.entry("nullWords", "--null"),
            Map.entry("readConsistency", "--consistency"),
            Map.entry("writeConsistency", "--consistency"),
            Map.entry("nullWord", "--null"),
            Map.entry("compression", "--compress"),
            Map.entry("timestampPattern", "--timestamp-format"),
            Map.entry("datePattern", "--date-format"),
            Map.entry("timePattern", "--time-format"),
            Map.entry("nodesPerDatacenter", "--nodes"),
            Map.entry("datacenters", "--dcs"),
            Map.entry("failoverDatacenter", "--dc-failover"),
            Map.entry("heapMegabytes", "--heap-mb"),
            Map.entry("anyHostName", "--tls-any-host"),
            Map.entry("workload", "--foreground"));

    private static final Pattern WORD =
            Pattern.compile("(?<![\\w\"'./-])([a-z][A-Za-z]*)(?![\\w/-])(?: \\(--[a-z-]+\\))?");

    private OptionNames() {}

    /**
     * A plain word, such as {@code threads}, is a setting only at the start of a message, or after a setting and "and"; a
     * compound such as {@code batchBytes} is one anywhere.
     */
    public static String in(CommandSpec command, String message) {
        StringBuilder text = new StringBuilder();
        int end = 0; // of the last setting
        Matcher m = WORD.matcher(message);
        while (m.find()) {
            String word = m.group(1);
            boolean mayBeSetting = m.start() == 0
                    || !word.equals(word.toLowerCase(Locale.ROOT))
                    || message.substring(end, m.start()).equals(" and ");
            String option = kebab(word);
            if (command.findOption(option) == null) {
                option = OTHER_NAMES.getOrDefault(word, option);
            }
            if (mayBeSetting && command.findOption(option) != null) {
                m.appendReplacement(text, Matcher.quoteReplacement(option));
                end = m.end();
            }
        }
        return m.appendTail(text).toString();
    }

    static String kebab(String name) {
        return "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
