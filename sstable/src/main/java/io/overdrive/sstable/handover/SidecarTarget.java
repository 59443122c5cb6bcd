package io.overdrive.sstable.handover;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where the Cassandra Sidecars of the nodes answer. Immutable.
 *
 * @param url of each of them, such as {@code https://{host}:9043}, with {@code {host}} for the address of its node; without it, of the
 *     Sidecar of the only node that has replicas
 * @param tls certificates and keys for https; null for the JDK's
 * @param curlOptions by which curl finds the same certificates and keys, for the command of the summary
 */
public record SidecarTarget(String url, @Nullable SSLContext tls, List<String> curlOptions) {
    private static final String HOST = "{host}";
    private static final Pattern FORM =
            Pattern.compile("https?://(?:\\{host\\}[\\w.-]*|[\\w.-]+|\\[[\\da-fA-F:.]+\\])(?::\\d{1,5})?");

    /** @throws IllegalArgumentException if the URL is not {@code http[s]://HOST[:PORT]}, or is http with {@code tls} */
    public SidecarTarget {
        curlOptions = List.copyOf(curlOptions);
        if (!FORM.matcher(url).matches()) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.SIDECAR) + " is \"" + url + "\", must be http[s]://{host}[:PORT], such as"
                            + " https://{host}:9043, with {host} for the address of each node");
        }
        if (tls != null && url.startsWith("http:")) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.SIDECAR) + " is \"" + url + "\", and certificates are for https: begin it"
                            + " with https, or leave out " + words.of(JobOption.SIDECAR_TLS));
        }
    }

    /** Whether each node has its own. */
    boolean isOfEachNode() {
        return url.contains(HOST);
    }

    /** The URL of one node's Sidecar. */
    URI of(String host) {
        return URI.create(url.replace(HOST, host.contains(":") ? "[" + host + "]" : host));
    }

    /** Leaves out the keys. */
    @Override
    public String toString() {
        return "Sidecar at " + url;
    }
}
