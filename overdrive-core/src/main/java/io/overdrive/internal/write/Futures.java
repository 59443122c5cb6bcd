package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for a task without checked exceptions. Stateless. */
final class Futures {
    private Futures() {}

    static void await(Future<?> task) {
        try {
            task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(Kind.INTERRUPTED, "interrupted while writing spilled rows", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
