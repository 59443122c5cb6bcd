package io.overdrive.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LoginsTest {
    private static String sent(Logins logins) {
        return StandardCharsets.UTF_8
                .decode(logins.newAuthenticator(
                                new DefaultEndPoint(InetSocketAddress.createUnresolved("node", 9042)), "Password")
                        .initialResponse()
                        .toCompletableFuture()
                        .join()
                        .duplicate())
                .toString();
    }

    @Test
    void usesANewPasswordForTheNextConnection() {
        Logins logins = new Logins("ada", "old");
        assertThat(sent(logins)).isEqualTo("\0ada\0old");
        logins.setPassword("new");
        assertThat(sent(logins)).isEqualTo("\0ada\0new");
    }
}
