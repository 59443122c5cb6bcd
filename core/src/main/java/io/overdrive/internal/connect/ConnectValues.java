package io.overdrive.internal.connect;

import io.overdrive.Setting;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The values that a user gave settings of a connection. Implementations check them, and name the setting in messages. */
public interface ConnectValues {
    /** Whether the user gave a value. */
    boolean isGiven(Setting<?> setting);

    /** The value, within the bounds of the setting; null if the user gave none. */
    <T extends Comparable<? super T>> @Nullable T find(Setting<T> setting);

    /** A file that can be read; null if the user gave none. */
    @Nullable Path file(Setting<Path> setting);

    /** A password, wherever it comes from; null if there is none. */
    @Nullable String secret(Setting<String> setting);

    /**
     * The certificates and keys of the values.
     *
     * @throws IllegalArgumentException if a file cannot be used, or values do not go together
     */
    default SSLContext tls() {
        return TlsFiles.context(this);
    }

    /** The name that the user knows a setting by, for messages. */
    String name(Setting<?> setting);
}
