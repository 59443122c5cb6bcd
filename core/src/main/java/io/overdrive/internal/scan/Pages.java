package io.overdrive.internal.scan;

import io.overdrive.OverdriveException;
import org.jspecify.annotations.Nullable;

/** Pages in sequence, for one thread at a time. */
public interface Pages {
    /**
     * The next page, waiting for it if necessary; null if there are no more.
     *
     * @throws OverdriveException of kind READ if it cannot be read
     */
    @Nullable Page take();
}
