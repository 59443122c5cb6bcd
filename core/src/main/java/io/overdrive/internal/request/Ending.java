package io.overdrive.internal.request;

import com.datastax.oss.protocol.internal.Message;

/** How a sending ended: exactly one of the first two is called, and {@link #onException} if that throws. */
public interface Ending {
    /** The node answered, maybe with an error. */
    void onAnswer(Message answer);

    /**
     * There is no answer.
     *
     * @param sent whether the node may have received the request
     * @param reason for messages
     */
    void onSilence(boolean sent, String reason);

    /** The request could not be sent, or its end could not be handled. Must not throw. */
    void onException(Throwable cause);
}
