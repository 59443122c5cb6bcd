package io.overdrive.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportVerdictTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SAME = "{'table':'a','outcome':'done','whole':true,'rowsLeft':3}";
    private static final String DIFFERS = "{'table':'b','outcome':'done','whole':true,'different':1,'missingRight':2}";

    /** {@code result: text [left out]}. */
    private static String verdict(
            String command, int code, String outcome, int tables, String results, String... leftOut)
            throws JsonProcessingException {
        String text = "{'command':'" + command + "','outcome':'" + outcome + "','onlyRight':[]"
                + (code < 0 ? "" : ",'exitCode':" + code) + ",'summary':{'tables':" + tables + "},'tables':[" + results
                + "]}";
        ObjectNode to = JSON.createObjectNode();
        new ReportVerdict(JSON.readTree(text.replace('\'', '"')), List.of(leftOut)).write(to);
        return to.get("result").asText() + ": " + to.get("text").asText() + " " + to.get("leftOut");
    }

    @Test
    void equalIsSaidOnlyIfAllWasCompared() throws JsonProcessingException {
        assertThat(verdict("diff", 0, "done", 1, SAME)).isEqualTo("equal: equal []");
        assertThat(verdict("diff", 0, "done", 2, SAME + "," + SAME)).isEqualTo("equal: equal: 2 tables []");
        assertThat(verdict("diff", 0, "done", 1, SAME, "only 1% of the partitions"))
                .isEqualTo("noDifferenceFound: no difference in what was compared [\"only 1% of the partitions\"]");
        assertThat(verdict("diff", 0, "done", 1, SAME.replace("true", "false")))
                .isEqualTo("noDifferenceFound: no difference in what was compared [\"a: not all rows were compared\"]");
        assertThat(verdict("diff", 0, "done", 1, SAME.replace("}", ",'notCompared':['ks.a.note']}")))
                .isEqualTo("noDifferenceFound: no difference in what was compared [\"column ks.a.note\"]");
        assertThat(verdict("diff", 3, "done", 1, SAME)).startsWith("noDifferenceFound: ");
        assertThat(verdict("diff", 0, "done", 2, SAME)).startsWith("noDifferenceFound: ");
        assertThat(verdict("diff", 1, "done", 1, SAME)).startsWith("failed: ");
        assertThat(verdict("diff", -1, "running", 0, "")).startsWith("notFinished: not finished: ");
    }

    /** It reads the records, and not the rows of the table. */
    @Test
    void verifyNeverSaysEqual() throws JsonProcessingException {
        assertThat(verdict("verify", 0, "done", 1, "{'table':'a','outcome':'done','whole':true,'rowsSame':3}"))
                .isEqualTo("noDifferenceFound: no difference in what was compared"
                        + " [\"rows that only the table has, which verify does not search for\"]");
    }

    @Test
    void differencesAreCounted() throws JsonProcessingException {
        assertThat(verdict("diff", 3, "done", 1, DIFFERS)).isEqualTo("different: differs in 3 rows []");
        assertThat(verdict("diff", 3, "done", 2, SAME + "," + DIFFERS.replace("}", ",'rowsRepaired':2}")))
                .isEqualTo("different: differs in 1 of 2 tables; 2 of 3 differences were repaired []");
    }

    @Test
    void tablesThatAreNotDoneAreNamed() throws JsonProcessingException {
        assertThat(verdict("diff", 1, "failed", 3, SAME + "," + DIFFERS + ",{'table':'c','outcome':'failed'}"))
                .isEqualTo(
                        "failed: failed: 2 of 3 tables were compared; differences in 1 [\"c: not compared to its end\"]");
        assertThat(verdict("copy", 130, "stopped", 3, "{'table':'a','outcome':'done','rowsWritten':4}"))
                .isEqualTo(
                        "notFinished: not finished: it was stopped: 1 of 3 tables was copied [\"2 tables did not begin\"]");
    }

    @Test
    void rowsThatWereMovedAreCounted() throws JsonProcessingException {
        String rows = "{'table':'a','outcome':'done','rowsWritten':4,'rowsRejected':0}";
        assertThat(verdict("copy", 0, "done", 1, rows)).isEqualTo("done: 4 rows copied []");
        assertThat(verdict("load", 3, "done", 2, rows + "," + rows.replace(":0}", ":1}")))
                .isEqualTo("doneInPart: 8 rows of 2 tables loaded, 1 rejected [\"a: 1 rejected row\"]");
        assertThat(verdict("copy", 0, "done", 1, rows, "only rows for which a = 1"))
                .isEqualTo("doneInPart: 4 rows copied, of those that were chosen [\"only rows for which a = 1\"]");
        assertThat(verdict("unload", 3, "done", 1, rows))
                .isEqualTo("doneInPart: 4 rows unloaded, and not everything: see the messages []");
    }

    @Test
    void valuesThatWereLeftOutAreNamed() throws JsonProcessingException {
        String rows = "{'table':'a','outcome':'done','rowsWritten':4,'emptyKeys':0,'emptyValues':2,'elementTimes':1}";
        assertThat(verdict("unload", 3, "done", 1, rows))
                .endsWith(" [\"a: 2 values, each an empty number, time or the like\","
                        + "\"a: 1 value with elements of different write times or times to live\"]");
        assertThat(verdict("copy", 3, "done", 1, "{'table':'a','outcome':'done','leftOut':['1 row that is gone']}"))
                .endsWith(" [\"a: 1 row that is gone\"]");
    }

    @Test
    void rowsOfSstablesThatAreNotImportedAreNotMoved() throws JsonProcessingException {
        String rows = "{'table':'a','outcome':'done','rowsWritten':4,'nodes':[{'node':'n1','rows':3,'imported':false},"
                + "{'node':'n2','rows':0,'imported':false}]}";
        assertThat(verdict("load", 0, "done", 1, rows))
                .isEqualTo(
                        "doneInPart: 4 rows in SSTables that are not imported yet [\"a: n1 has not imported its 3 rows yet\"]");
        assertThat(verdict("copy", 0, "done", 1, rows.replace("false", "true"))).isEqualTo("done: 4 rows copied []");
        assertThat(verdict("copy", 3, "done", 1, rows.replace("}]", "},{'node':'n3','rows':1,'imported':true}]")))
                .isEqualTo(
                        "doneInPart: 4 rows copied, and not everything: see the messages [\"a: n1 has not imported its 3 rows yet\"]");
    }
}
