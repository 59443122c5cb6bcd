package io.overdrive.jobs.unload;

import io.overdrive.formats.records.Compression;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * How the files of a directory are named. Immutable.
 *
 * @param limit if there is one, names have the number of the file in its split
 */
record FileNames(String table, String extension, Compression compression, FileLimit limit) {
    String of(int split, int file) {
        return table + "-" + number(split) + (limit.isNone() ? "" : String.format(Locale.ROOT, "-%06d", file)) + end();
    }

    String number(int split) {
        return String.format(Locale.ROOT, "%05d", split);
    }

    private String end() {
        return extension + compression.suffix();
    }

    /** Names with the numbers as groups, which another ending may follow. */
    Pattern pattern(String ending) {
        return Pattern.compile(Pattern.quote(table) + "-(\\d{5,9})" + (limit.isNone() ? "()" : "-(\\d{6,9})")
                + Pattern.quote(end()) + "(?:" + Pattern.quote(ending) + ")?");
    }
}
