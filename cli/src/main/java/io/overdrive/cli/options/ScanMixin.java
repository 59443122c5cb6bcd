package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** The options of commands that read tables: the settings of scans, and which rows to read. Confined to one thread. */
public final class ScanMixin {
    private static final String TOKEN_RANGE = "--token-range";
    private static final String SAMPLE = "--sample";

    /** The rows that options choose. */
    private enum Rows {
        ALL,
        BY_CONDITIONS,
        BY_CONDITIONS_AND_TOKENS
    }

    private final SettingOptions options;
    private @Nullable String where;
    private @Nullable List<String> tokenRanges;
    private @Nullable String sample;

    public ScanMixin(String heading) {
        this(heading, ScanSetting.ALL, Map.of());
    }

    /** @param otherNames names of options that are not named as their settings */
    public ScanMixin(String heading, List<Setting<?>> settings, Map<Setting<?>, String> otherNames) {
        this(heading, settings, otherNames, Rows.BY_CONDITIONS);
    }

    private ScanMixin(String heading, List<Setting<?>> settings, Map<Setting<?>, String> otherNames, Rows rows) {
        options = new SettingOptions(
                heading,
                settings,
                otherNames,
                switch (rows) {
                    case ALL -> new OptionSpec[0];
                    case BY_CONDITIONS -> new OptionSpec[] {where()};
                    case BY_CONDITIONS_AND_TOKENS -> new OptionSpec[] {where(), tokenRange(), sample()};
                });
    }

    /** Options of a command that always reads whole tables. */
    public static ScanMixin withoutWhere(String heading) {
        return new ScanMixin(heading, ScanSetting.ALL, Map.of(), Rows.ALL);
    }

    /** Options of a command that also reads parts of the ring. */
    public static ScanMixin withTokens(String heading) {
        return withTokens(heading, ScanSetting.ALL, Map.of());
    }

    /** As {@link #withTokens(String)}, with some of the settings. */
    public static ScanMixin withTokens(String heading, List<Setting<?>> settings, Map<Setting<?>, String> otherNames) {
        return new ScanMixin(heading, settings, otherNames, Rows.BY_CONDITIONS_AND_TOKENS);
    }

    private OptionSpec where() {
        return OptionSpec.builder("--where")
                .paramLabel("CONDITIONS")
                .type(String.class)
                .description("Read only rows that match this CQL condition: \"origin = 'JFK' AND day > 3\".")
                .setter(SettingOptions.setter(value -> where = (String) value))
                .build();
    }

    private OptionSpec tokenRange() {
        return OptionSpec.builder(TOKEN_RANGE)
                .paramLabel("START,END")
                .arity("1")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .description(
                        "Read only partitions whose token is greater than START and at most END; several ranges are"
                                + " separated by colons, or the option is repeated. If START is greater than END, the range continues"
                                + " from the highest token to the lowest. Only of a query that is split by token. overdrive splits"
                                + " prints ranges that have all rows together. Default: all tokens.")
                .getter(SettingOptions.getter(() -> tokenRanges))
                .setter(SettingOptions.setter(value -> tokenRanges = texts(value)))
                .build();
    }

    private OptionSpec sample() {
        return OptionSpec.builder(SAMPLE)
                .paramLabel("P%")
                .type(String.class)
                .description(
                        "Read only this percentage of the partitions, in 256 token ranges at equal distances: always the"
                                + " same ones. Only of a query that is split by token; not with " + TOKEN_RANGE
                                + ". Default: all partitions.")
                .setter(SettingOptions.setter(value -> sample = (String) value))
                .build();
    }

    @SuppressWarnings("unchecked") // the type of the option
    private static @Nullable List<String> texts(@Nullable Object value) {
        return (List<String>) value;
    }

    public SettingOptions options() {
        return options;
    }

    /** Sets the options that were given. */
    public void apply(ScanOptions.Builder builder) {
        if (where != null) {
            builder.where(where);
        }
        List<String> tokens = tokenRanges;
        if (tokens != null) {
            builder.tokenRanges(tokens.stream()
                    .flatMap(range -> TokenRange.parseAll(TOKEN_RANGE, range).stream())
                    .toList());
        }
        if (sample != null) {
            if (tokens != null) {
                throw new IllegalArgumentException(
                        SAMPLE + " and " + TOKEN_RANGE + " both choose tokens: leave out one");
            }
            builder.tokenRanges(TokenRange.sample(SAMPLE, sample));
        }
        DefaultConsistencyLevel consistency = options.find(ScanSetting.CONSISTENCY);
        if (consistency != null) {
            checkForReading(options.name(ScanSetting.CONSISTENCY), consistency);
        }
        options.apply(builder::set);
    }

    /** The server refuses the other levels for a token range, but only in its answer. */
    private static void checkForReading(String option, DefaultConsistencyLevel level) {
        if (level.isSerial() || level == DefaultConsistencyLevel.ANY) {
            throw new IllegalArgumentException(option + " is " + level + ", which cannot be used to read a table:"
                    + " choose LOCAL_ONE, LOCAL_QUORUM or another level for reads");
        }
    }

    /** Reads {@code a, "B", c}, the value of an option. */
    public static List<String> columns(String option, String text) {
        List<String> columns = new ArrayList<>();
        int start = 0;
        boolean quoted = false;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ',' : text.charAt(i);
            quoted ^= c == '"';
            if (c == ',' && (!quoted || i == text.length())) {
                columns.add(column(
                        option + " \"" + text + '"', text.substring(start, i).strip()));
                start = i + 1;
            }
        }
        return columns;
    }

    private static String column(String given, String name) {
        boolean quoted = name.length() > 2 && name.startsWith("\"") && name.endsWith("\"");
        if (!quoted && !name.matches("[a-zA-Z][a-zA-Z0-9_]*")) {
            throw new IllegalArgumentException(given + ": \"" + name + "\" is not a column's name; a name"
                    + " with capitals or special characters goes in double quotes");
        }
        return TableName.name(name, given).asInternal();
    }
}
