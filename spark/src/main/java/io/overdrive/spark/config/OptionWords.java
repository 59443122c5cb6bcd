package io.overdrive.spark.config;

import static java.util.Map.entry;

import io.overdrive.ScanSetting;
import io.overdrive.WriteSetting;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.NamedOption;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The words for options that messages of the engine name. Stateless. */
final class OptionWords {
    /** Settings whose values are not the same in the engine. */
    private static final Map<NamedOption, Setting> SETTINGS = Map.ofEntries(
            entry(ScanSetting.PAGE_ROWS, Setting.PAGE_ROWS),
            entry(ScanSetting.SPLIT_BYTES, Setting.SPLIT_MB),
            entry(WriteSetting.ALLOW_NON_IDEMPOTENT, Setting.ALLOW_NON_IDEMPOTENT),
            entry(WriteSetting.GROUPING_MEMORY, Setting.GROUPING_MEMORY_MB),
            entry(WriteSetting.TIMESTAMP, Setting.WRITE_TIME),
            entry(WriteSetting.TTL, Setting.TTL),
            entry(ConnectSetting.TLS_ANY_HOST, Setting.TLS_CHECK_HOST),
            entry(JobOption.ANY_HOST_NAME, Setting.TLS_CHECK_HOST),
            entry(JobOption.CONTACT_POINTS, Setting.HOST),
            entry(JobOption.FROM_SSTABLES, Setting.FROM_SSTABLES),
            entry(JobOption.GUARD, Setting.GUARD),
            entry(JobOption.JMX, Setting.SSTABLES_JMX),
            entry(JobOption.SIDECAR, Setting.SSTABLES_SIDECAR),
            entry(JobOption.SIDECAR_TLS, Setting.TLS),
            entry(JobOption.SSH, Setting.SSTABLES_SSH),
            entry(JobOption.SSTABLES, Setting.SSTABLES));

    private static final Map<NamedOption, String> OTHERS = Map.of(
            JobOption.SSTABLE_DIRECTORY,
            "none of the options \"" + Setting.SSTABLES_JMX.option + "\", \"" + Setting.SSTABLES_SSH.option
                    + "\" and \"" + Setting.SSTABLES_SIDECAR.option + "\"",
            WriteSetting.SPILL_DIRECTORY,
            "spark.local.dir");

    private OptionWords() {}

    /** The word for an option, or its name in Java if jobs of Spark do not have it. */
    static String of(NamedOption option) {
        String word = find(option);
        return word == null ? option.javaName() : word;
    }

    static @Nullable String find(NamedOption option) {
        Setting given = SETTINGS.get(option);
        Setting setting = given != null ? given : ofEngine(option);
        return setting != null ? "option \"" + setting.option + "\"" : OTHERS.get(option);
    }

    /** A setting that reads and writes share is the one of the engine's writes. */
    private static @Nullable Setting ofEngine(NamedOption option) {
        Setting same = option instanceof io.overdrive.Setting<?> engine ? Setting.of(engine) : null;
        return same != null || !ScanSetting.ALL.contains(option)
                ? same
                : Arrays.stream(Setting.values())
                        .filter(each ->
                                each.engine != null && each.engine.name().equals(option.javaName()))
                        .findFirst()
                        .orElse(null);
    }
}
