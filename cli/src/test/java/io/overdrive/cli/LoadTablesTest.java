package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class LoadTablesTest {
    private static final CqlIdentifier ORDERS = CqlIdentifier.fromInternal("orders");
    private static final CqlIdentifier AUDIT = CqlIdentifier.fromInternal("audit");

    /** The journal keeps them with the table, so that the report of a later process of the run has them, too. */
    @Test
    void knowsOfEachTableWhatHasExpired() {
        LoadTables.Expired expired = new LoadTables.Expired();
        expired.add(ORDERS, 2, 0);
        expired.add(AUDIT, 1, 1);
        TablesRun.End<String> end = expired.end(String::length);
        assertThat(end.code(ORDERS, "abc")).isEqualTo(3);
        assertThat(end.leftOut(ORDERS))
                .containsExactly("2 cells have expired since the files were written, and were left out");
        assertThat(end.leftOut(AUDIT)).hasSize(2);
        assertThat(end.leftOut(CqlIdentifier.fromInternal("other"))).isEmpty();
        StringWriter err = new StringWriter();
        expired.say(new PrintWriter(err));
        assertThat(err.toString())
                .startsWith("overdrive: 3 cells have expired since the files were written, and were left out\n")
                .contains("overdrive: 1 row was left out: ");
    }
}
