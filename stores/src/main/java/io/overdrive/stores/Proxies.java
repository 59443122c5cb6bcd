package io.overdrive.stores;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Proxies as the properties of the JVM have them, or else the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Immutable. */
final class Proxies extends ProxySelector {
    private static final int DEFAULT_PORT = 80;
    private static final Pattern PLACE =
            Pattern.compile("(?:[a-zA-Z0-9]+://)?(?:.*@)?([^@:/\\s\\[\\]]+|\\[[0-9a-fA-F:.]+\\])(?::([0-9]{1,5}))?/?");

    /** This machine, and servers of metadata, which are next to it and give access tokens. */
    private static final Pattern NEAR =
            Pattern.compile("localhost|127\\..*|\\[?::1\\]?|169\\.254\\..*|metadata\\.google\\.internal");

    private final Map<String, String> variables;
    /** Proxies by the scheme of the target. */
    private final Map<String, Proxy> proxies = new HashMap<>();

    /** @throws OverdriveException if a variable names no proxy; the message does not have it, as there may be a password in it */
    Proxies(Map<String, String> variables) {
        this.variables = variables;
        for (String scheme : new String[] {"http", "https"}) {
            String text = variable(scheme + "_proxy");
            if (text != null) {
                proxies.put(scheme, proxy(text));
            }
        }
    }

    @Override
    public List<Proxy> select(URI target) {
        String scheme = target.getScheme().toLowerCase(Locale.ROOT);
        Proxy proxy = proxies.get(scheme);
        if (System.getProperty(scheme + ".proxyHost") != null || proxy == null) {
            ProxySelector usual = ProxySelector.getDefault();
            return usual == null ? List.of(Proxy.NO_PROXY) : usual.select(target);
        }
        return List.of(isExcepted(target.getHost()) ? Proxy.NO_PROXY : proxy);
    }

    /** A user and a password are left out, whatever characters they have. */
    private static Proxy proxy(String text) {
        Matcher place = PLACE.matcher(text);
        if (!place.matches()) {
            throw new OverdriveException(
                    Kind.INPUT, "HTTPS_PROXY or HTTP_PROXY is no address of a proxy such as http://proxy:3128");
        }
        int port = place.group(2) == null ? DEFAULT_PORT : Integer.parseInt(place.group(2));
        return new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(place.group(1), port));
    }

    private boolean isExcepted(@Nullable String host) {
        String excepted = variable("no_proxy");
        if (host == null) {
            return false;
        }
        String wanted = host.toLowerCase(Locale.ROOT);
        if (NEAR.matcher(wanted).matches()) {
            return true;
        } else if (excepted == null) {
            return false;
        }
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
