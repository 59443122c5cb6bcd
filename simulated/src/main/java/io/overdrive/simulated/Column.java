package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.response.result.RawType;
import java.util.Locale;

/**
 * A column of a table. Immutable.
 *
 * @param type its text in CQL
 * @param position in its part of the primary key; -1 for a column outside of it
 */
record Column(String name, String type, RawType raw, Kind kind, int position, boolean isDescending) {
    /** Where it stands in the table. */
    enum Kind {
        PARTITION_KEY,
        CLUSTERING,
        STATIC,
        REGULAR;

        String inCql() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    String order() {
        return kind != Kind.CLUSTERING ? "none" : isDescending ? "desc" : "asc";
    }
}
