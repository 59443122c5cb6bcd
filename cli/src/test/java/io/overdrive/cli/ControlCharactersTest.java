package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.watch.Logging;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Names and values of an input reach neither a terminal nor a log with control characters, which could rewrite what is there. */
class ControlCharactersTest {
    /** Clears the screen, sets its title, and goes to the start of the line. */
    private static final String HOSTILE = "\u001b[2J\u001b]0;title\u0007\r\u009b1m";

    private static final String SHOWN = "\\u001b[2J\\u001b]0;title\\u0007\\r\\u009b1m";

    @Test
    void messagesHaveNone() {
        Cli wrong = Cli.run("load", HOSTILE + ".csv", "ks.t");
        assertThat(wrong.err()).contains(SHOWN + ".csv").doesNotContain("\u001b", "\u0007", "\r", "\u009b");
        assertThat(Cli.run(HOSTILE).err()).contains(SHOWN);
    }

    @Test
    void logsHaveNone() {
        PrintStream err = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            Logging.quiet();
            Logger.getLogger("io.overdrive.cli.ControlCharactersTest").warning(HOSTILE);
        } finally {
            System.setErr(err);
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("[WARN] " + SHOWN + System.lineSeparator());
    }

    @Test
    void summariesHaveNone() {
        Report report = new Report() {
            @Override
            public void text(PrintWriter out) {
                out.println("rejected " + HOSTILE);
            }

            @Override
            public void members(JsonGenerator json) throws IOException {
                json.writeStringField("file", HOSTILE);
            }
        };
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text), /* asJson */ false);
        assertThat(text).hasToString("rejected " + SHOWN + System.lineSeparator());
        StringWriter json = new StringWriter();
        report.print(new PrintWriter(json), /* asJson */ true);
        assertThat(json.toString().strip()).isEqualTo("{\"file\":\"\\u001B[2J\\u001B]0;title\\u0007\\r\\u009b1m\"}");
    }
}
