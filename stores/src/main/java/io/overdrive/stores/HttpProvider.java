package io.overdrive.stores;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;

/** Files of web servers, by {@code http://host/path}; they are read only. */
public class HttpProvider extends StoreProvider {
    @Override
    public String getScheme() {
        return "http";
    }

    @Override
    ObjectStore open() {
        return new HttpStore(Http.following(BackOff.USUAL));
    }

    /**
     * {@inheritDoc} The path has what follows the host, quoted as the user wrote it. The query may have a signature, so it is part of the
     * name of the file system, which no message has.
     */
    @Override
    public final Path getPath(URI uri) {
        String host = uri.getRawAuthority();
        if (host == null || host.contains("@")) {
            throw new IllegalArgumentException("a URL with a user or a password is not read, as other users of this"
                    + " machine could see them; pass the file to standard input: curl … | overdrive … -");
        }
        String rest = uri.getPath();
        int fragment = rest.indexOf('#');
        String target = fragment < 0 ? rest : rest.substring(0, fragment);
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        if (path.length() < 2) {
            throw new IllegalArgumentException("it names a server, and no file");
        }
        String url = getScheme() + "://" + host.toLowerCase(Locale.ROOT);
        return path(url + (query < 0 ? "" : target.substring(query)), url, path.substring(1), null);
    }
}
