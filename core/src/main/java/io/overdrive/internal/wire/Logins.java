package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.auth.Authenticator;
import com.datastax.oss.driver.api.core.auth.ProgrammaticPlainTextAuthProvider;
import com.datastax.oss.driver.api.core.metadata.EndPoint;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs in by user and password, and notes which nodes do not accept that: the driver only logs it, and takes the node to be down.
 * Thread-safe.
 */
final class Logins extends ProgrammaticPlainTextAuthProvider {
    private final String username;
    /** Nodes whose last login has not succeeded. */
    private final Set<EndPoint> unaccepted = ConcurrentHashMap.newKeySet();

    Logins(String username, String password) {
        super(username, password);
        this.username = username;
    }

    @Override
    public Authenticator newAuthenticator(EndPoint endPoint, String serverAuthenticator) {
        unaccepted.add(endPoint);
        Authenticator plain = super.newAuthenticator(endPoint, serverAuthenticator);
        return new Authenticator() {
            @Override
            public CompletionStage<ByteBuffer> initialResponse() {
                return plain.initialResponse();
            }

            @Override
            public CompletionStage<ByteBuffer> evaluateChallenge(ByteBuffer challenge) {
                return plain.evaluateChallenge(challenge);
            }

            @Override
            public CompletionStage<Void> onAuthenticationSuccess(ByteBuffer token) {
                unaccepted.remove(endPoint);
                return plain.onAuthenticationSuccess(token);
            }
        };
    }

    String username() {
        return username;
    }

    /** Whether the last login at this node has not succeeded; meaningful for nodes to which there is no connection. */
    boolean isRefused(EndPoint endPoint) {
        return unaccepted.contains(endPoint);
    }
}
