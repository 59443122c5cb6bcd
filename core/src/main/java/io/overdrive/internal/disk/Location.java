package io.overdrive.internal.disk;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Files and directories as users name them: by a path of this machine, or by a URL of an object store or a web server. What reads these is a {@link
 * FileSystemProvider} on the class path, or in the directory {@code lib/stores} of an installation, which is opened when the first URL is
 * named. Thread-safe.
 */
public final class Location {
    /** Not within a text of an expression, for example. */
    private static final String WEB = "(?i)((?:^|(?<=[=,]))https?://";

    private static final Pattern USER = Pattern.compile(WEB + ")[^/?#@\\s]*@");
    private static final Pattern QUERY = Pattern.compile(WEB + "[^?\\s]*)\\?\\S*");

    private static final Map<String, FileSystemProvider> PROVIDERS = new ConcurrentHashMap<>();

    private Location() {}

    /**
     * The path that a text names. A URL is one of a store, unless a file of this machine has that name.
     *
     * @throws OverdriveException of kind INPUT if the text is no path, or nothing here reads such a URL
     */
    public static Path path(String text) {
        Path local;
        try {
            local = Path.of(text);
        } catch (InvalidPathException e) {
            throw new OverdriveException(Kind.INPUT, text + ": invalid path: " + e.getReason(), e);
        }
        return FileName.isUrl(text) && !Files.exists(local) ? pathOfUrl(text) : local;
    }

    /** Whether a path is one of this machine. */
    public static boolean isLocal(Path path) {
        return path.getFileSystem().provider().getScheme().equals("file");
    }

    private static Path pathOfUrl(String url) {
        int colon = url.indexOf(':');
        String scheme = url.substring(0, colon).toLowerCase(Locale.ROOT);
        FileSystemProvider provider = PROVIDERS.computeIfAbsent(scheme, wanted -> provider(wanted, url));
        String rest = url.substring(colon + "://".length());
        int slash = rest.indexOf('/');
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        try {
            // characters that a URI does not have are quoted by this constructor, and the provider reads the path
            // without quotes
            return provider.getPath(new URI(scheme, authority, slash < 0 ? "/" : rest.substring(slash), null, null));
        } catch (URISyntaxException | IllegalArgumentException e) {
            String why = isWeb(scheme) && e instanceof URISyntaxException syntax ? syntax.getReason() : e.getMessage();
            throw new OverdriveException(Kind.INPUT, withoutSecrets(url) + ": is no URL of an object: " + why, e);
        }
    }

    /** Whether the place of a path has directories: web servers list none, and a question mark begins a query. */
    public static boolean isListed(Path path) {
        return !isWeb(path.getFileSystem().provider().getScheme());
    }

    private static boolean isWeb(String scheme) {
        return scheme.equals("http") || scheme.equals("https");
    }

    /** A text without the parts of URLs of web servers that may be secret: the query, which may have a signature, and a password. */
    public static String withoutSecrets(String text) {
        return QUERY.matcher(USER.matcher(text).replaceAll("$1…@")).replaceAll("$1?…");
    }

    /**
     * The path to write to that a text names.
     *
     * @throws OverdriveException of kind INPUT if the text is no path, or nothing here writes to such a URL
     */
    public static Path writable(String text) {
        Path path = path(text);
        if (!isListed(path)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    path + ": nothing is written to URLs of web servers: write a file of this machine and upload it, or"
                            + " name an object store, such as s3://bucket/key");
        }
        return path;
    }

    private static FileSystemProvider provider(String scheme, String url) {
        FileSystemProvider found = find(scheme, Location.class.getClassLoader());
        if (found == null) {
            found = find(scheme, installed());
        }
        if (found == null) {
            throw new OverdriveException(
                    Kind.INPUT,
                    withoutSecrets(url) + ": nothing here reads or writes URLs of " + scheme
                            + ": name a file or a directory of this machine, an object store by s3://bucket/key,"
                            + " gs://bucket/key or abfss://container@account.dfs.core.windows.net/key, or a file of a web"
                            + " server by https://host/path");
        }
        return found;
    }

    private static @Nullable FileSystemProvider find(String scheme, @Nullable ClassLoader loader) {
        if (loader != null) {
            for (FileSystemProvider each : ServiceLoader.load(FileSystemProvider.class, loader)) {
                if (each.getScheme().equals(scheme)) {
                    return each;
                }
            }
        }
        return null;
    }

    /** The classes of {@code lib/stores}; null without an installation. */
    private static @Nullable ClassLoader installed() {
        Path directory = Installation.part("stores");
        return directory == null ? null : Installation.classes(List.of(directory));
    }
}
