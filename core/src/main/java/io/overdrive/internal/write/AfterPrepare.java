package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.request.Ending;
import io.overdrive.internal.request.ServerMessage;
import java.util.concurrent.ThreadLocalRandom;

/** Sends a request once its node, which had forgotten the statement, has prepared it again. Immutable. */
record AfterPrepare(Sender sender, WriteRequest write, Node node) implements Ending {
    @Override
    public void onAnswer(Message answer) {
        if (answer instanceof Error error) {
            refused(error);
        } else if (answer instanceof Prepared prepared && !sender.layout.prepared.hasTypes(prepared)) {
            sender.fail(write, "the table was changed while it was written; start again");
        } else if (write.prepares > 1) {
            sender.retryPatiently(write, node, NodeName.of(node) + " forgets the statement whenever it is prepared");
        } else {
            sender.dispatch(write, node);
        }
    }

    /** A node that has just started may not have the table yet; if the table or the right is gone, the run fails. */
    private void refused(Error error) {
        if (error.code == ErrorCode.UNAUTHORIZED || sender.layout.isTableGone(sender.transport.metadata())) {
            sender.fail(write, ServerMessage.of(error));
        } else if (sender.rule.afterError(error.code, write) == RetryRule.Decision.WAIT) {
            sender.retryPatiently(write, node, error.message);
        } else if (++write.attempts < sender.rule.maxAttempts()) {
            sender.retryLater(
                    write,
                    node,
                    Sender.BACKOFF.pauseMillis(write.attempts, ThreadLocalRandom.current()),
                    error.message);
        } else {
            sender.fail(write, error.message);
        }
    }

    @Override
    public void onSilence(boolean sent, String reason) {
        sender.retryPatiently(write, node, reason);
    }

    @Override
    public void onException(Throwable cause) {
        sender.broken(write, cause);
    }
}
