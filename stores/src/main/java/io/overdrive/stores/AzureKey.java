package io.overdrive.stores;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The key of an account of Azure, which signs requests: "Shared Key". Immutable. */
final class AzureKey implements Credentials {
    /** Headers that are signed without their names. */
    private static final List<String> STANDARD = List.of(
            "Content-Encoding",
            "Content-Language",
            "Content-Length",
            "Content-MD5",
            "Content-Type",
            "Date",
            "If-Modified-Since",
            "If-Match",
            "If-None-Match",
            "If-Unmodified-Since",
            "Range");

    private final String account;
    private final SecretKeySpec key;

    AzureKey(String account, String key) {
        this.account = account;
        try {
            this.key = new SecretKeySpec(Base64.getDecoder().decode(key), "HmacSHA256");
        } catch (IllegalArgumentException e) {
            throw new OverdriveException(Kind.INPUT, "the key of the account " + account + " is not in base64", e);
        }
    }

    @Override
    public HttpRequest sign(HttpRequest request) {
        String text = request.method() + "\n"
                + STANDARD.stream().map(name -> value(request, name) + "\n").collect(Collectors.joining())
                + ownHeaders(request) + resource(request.uri());
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .setHeader("Authorization", "SharedKey " + account + ":" + signature(text))
                .build();
    }

    private static String value(HttpRequest request, String name) {
        if (name.equals("Content-Length")) {
            long length = request.bodyPublisher()
                    .map(HttpRequest.BodyPublisher::contentLength)
                    .orElse(0L);
            return length <= 0 ? "" : Long.toString(length);
        }
        return request.headers().firstValue(name).orElse("");
    }

    private static String ownHeaders(HttpRequest request) {
        TreeMap<String, String> own = new TreeMap<>();
        for (Map.Entry<String, List<String>> each : request.headers().map().entrySet()) {
            String name = each.getKey().toLowerCase(Locale.ROOT);
            if (name.startsWith("x-ms-")) {
                own.put(name, each.getValue().get(0).trim());
            }
        }
        return own.entrySet().stream()
                .map(each -> each.getKey() + ":" + each.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private String resource(URI uri) {
        TreeMap<String, String> query = new TreeMap<>();
        for (String each :
                uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&")) {
            int equals = each.indexOf('=');
            query.put(
                    each.substring(0, equals).toLowerCase(Locale.ROOT),
                    URLDecoder.decode(each.substring(equals + 1).replace("+", "%2B"), StandardCharsets.UTF_8));
        }
        return "/" + account + uri.getRawPath()
                + query.entrySet().stream()
                        .map(each -> "\n" + each.getKey() + ":" + each.getValue())
                        .collect(Collectors.joining());
    }

    private String signature(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each JVM has HmacSHA256", e);
        }
    }

    @Override
    public boolean renew(HttpRequest refused) {
        return false;
    }

    @Override
    public String advice() {
        return "the key of the account " + account + " is another one, or has no such right";
    }
}
