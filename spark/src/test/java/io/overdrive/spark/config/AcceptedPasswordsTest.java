package io.overdrive.spark.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AcceptedPasswordsTest {
    @Test
    void forgetsTheOldestOfTooMany() {
        AcceptedPasswords passwords = new AcceptedPasswords();
        for (int i = 0; i <= AcceptedPasswords.MAX; i++) {
            passwords.add("p" + i);
            passwords.add("p" + i);
        }
        assertThat(passwords.contains("p0")).isFalse();
        assertThat(passwords.contains("p1")).isTrue();
        assertThat(passwords.contains("p" + AcceptedPasswords.MAX)).isTrue();
    }
}
