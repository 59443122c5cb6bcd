package io.overdrive.internal.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteSetting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class MessageTextTest {
    private static final MessageText.Words CAPITALS =
            option -> option.javaName().toUpperCase(Locale.ROOT);

    @Test
    void namesOptionsInTheWordsOfTheReader() {
        MessageText text =
                words -> words.of(WriteSetting.BATCH_BYTES) + " is 3: leave out " + words.of(JobOption.SSTABLES);
        assertThat(text.inJava()).isEqualTo("batchBytes is 3: leave out sstables");
        assertThat(text.in(CAPITALS)).isEqualTo("BATCHBYTES is 3: leave out SSTABLES");
        assertThat(text.isEmpty()).isFalse();
        assertThat(MessageText.EMPTY.isEmpty()).isTrue();
    }

    @Test
    void aFailureKeepsTheReferencesOfItsCause() {
        IllegalOptionException wrong = new IllegalOptionException(words -> words.of(WriteSetting.TTL) + " is wrong");
        assertThat(wrong).hasMessage("ttl is wrong");
        OverdriveException failure = new OverdriveException(
                Kind.INPUT, words -> "[ks.t] " + MessageText.of(wrong).in(words), wrong);
        assertThat(failure).hasMessage("[ks.t] ttl is wrong");
        assertThat(MessageText.of(failure).in(CAPITALS)).isEqualTo("[ks.t] TTL is wrong");
        assertThat(MessageText.of(new IllegalStateException("no ttl")).in(CAPITALS))
                .isEqualTo("no ttl");
    }

    /** Control characters of values could clear a terminal. */
    @Test
    void theMessageOfAFailureIsVisibleText() {
        assertThat(new OverdriveException(Kind.INPUT, words -> words.of(JobOption.KEY) + " is a\u001bb"))
                .hasMessage("key is a\\u001bb");
    }

    @Test
    void aSerializedFailureKeepsItsNamesInJava() throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new OverdriveException(Kind.INPUT, words -> "leave out " + words.of(JobOption.SSTABLES)));
        }
        OverdriveException read;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            read = (OverdriveException) in.readObject();
        }
        assertThat(MessageText.of(read).in(CAPITALS)).isEqualTo("leave out sstables");
    }
}
