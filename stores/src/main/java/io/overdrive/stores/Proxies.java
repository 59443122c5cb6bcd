package io.overdrive.stores;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Proxies as the properties of the JVM have them, or else the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Immutable. */
final class Proxies extends ProxySelector {
    private static final int DEFAULT_PORT = 80;

    private final Map<String, String> variables;

    Proxies(Map<String, String> variables) {
        this.variables = variables;
    }

    @Override
    public List<Proxy> select(URI target) {
        String scheme = target.getScheme().toLowerCase(Locale.ROOT);
        String proxy = variable(scheme + "_proxy");
        if (System.getProperty(scheme + ".proxyHost") != null || proxy == null) {
            ProxySelector usual = ProxySelector.getDefault();
            return usual == null ? List.of(Proxy.NO_PROXY) : usual.select(target);
        }
        return List.of(isExcepted(target.getHost()) ? Proxy.NO_PROXY : proxy(proxy));
    }

    private static Proxy proxy(String text) {
        URI uri = URI.create(text.contains("://") ? text : "http://" + text);
        return new Proxy(
                Proxy.Type.HTTP,
                InetSocketAddress.createUnresolved(
                        uri.getHost() == null ? text : uri.getHost(),
                        uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort()));
    }

    private boolean isExcepted(@Nullable String host) {
        String excepted = variable("no_proxy");
        if (host == null || excepted == null) {
            return false;
        }
        String wanted = host.toLowerCase(Locale.ROOT);
        for (String each : excepted.toLowerCase(Locale.ROOT).split("[,\\s]+")) {
            String name = each.startsWith("*.") ? each.substring(1) : each;
            if (name.equals("*")
                    || name.equals(wanted)
                    || (!name.isEmpty() && wanted.endsWith(name.startsWith(".") ? name : "." + name))) {
                return true;
            }
        }
        return false;
    }

    /** A variable in small letters, as curl reads them, or else in capital ones. */
    private @Nullable String variable(String name) {
        String found = variables.getOrDefault(name, variables.get(name.toUpperCase(Locale.ROOT)));
        return found == null || found.isBlank() ? null : found.trim();
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException e) {
        // the request fails, and is retried
    }
}
