package io.overdrive.internal.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import org.junit.jupiter.api.Test;

class VisibleTextTest {
    @Test
    void escapesWhatATerminalWouldObey() {
        assertThat(VisibleText.of("\u001b[2J\u001b]0;title\u0007 \r\b\0\u007f\u009b1m"))
                .isEqualTo("\\u001b[2J\\u001b]0;title\\u0007 \\r\\u0008\\u0000\\u007f\\u009b1m");
    }

    @Test
    void keepsAllOtherText() {
        String text = "Zürich – 名 🚗\n\tat line 2";
        assertThat(VisibleText.of(text)).isSameAs(text);
        assertThat(VisibleText.oneLine(text)).isEqualTo("Zürich – 名 🚗\\n\\tat line 2");
    }

    /** Whatever prints or logs them, in Spark as well. */
    @Test
    void messagesOfExceptionsHaveNone() {
        assertThat(new OverdriveException(Kind.INPUT, "field \"\u001b[2J\"")).hasMessage("field \"\\u001b[2J\"");
    }
}
