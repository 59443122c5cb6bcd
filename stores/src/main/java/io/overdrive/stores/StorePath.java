package io.overdrive.stores;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key of an object or of a directory, or a part of one. Names are between slashes; unlike those of this machine, they may be empty. A
 * path remembers the object that was found, so that all reads are of that one. Thread-safe.
 */
final class StorePath implements Path {
    private final StoreFileSystem bucket;
    private final boolean isAbsolute;
    /** Names with slashes between them; none at the end. */
    private final String key;

    private final List<String> names;
    private volatile @Nullable ObjectAttributes found;
    /** Objects of the directory, if they were listed with those of one above it. */
    private final @Nullable Listing listing;

    StorePath(StoreFileSystem bucket, boolean isAbsolute, String key) {
        this(bucket, isAbsolute, key, null, null);
    }

    StorePath(
            StoreFileSystem bucket,
            boolean isAbsolute,
            String key,
            @Nullable ObjectAttributes found,
            @Nullable Listing listing) {
        this.bucket = bucket;
        this.isAbsolute = isAbsolute;
        this.key = key;
        this.found = found;
        this.listing = listing;
        names = key.isEmpty() ? List.of() : Arrays.asList(key.split("/", -1));
    }

    /** The path as one of a store. */
    static StorePath of(Path path) {
        if (path instanceof StorePath known) {
            return known;
        }
        throw new ProviderMismatchException(path + " is none of an object store");
    }

    String key() {
        return key;
    }

    String bucket() {
        return bucket.bucket();
    }

    @Nullable ObjectAttributes found() {
        return found;
    }

    void found(ObjectAttributes attributes) {
        found = attributes;
    }

    @Nullable Listing listing() {
        return listing;
    }

    private StorePath part(int from, int to, boolean absolute) {
        return new StorePath(bucket, absolute, String.join("/", names.subList(from, to)));
    }

    @Override
    public StoreFileSystem getFileSystem() {
        return bucket;
    }

    @Override
    public boolean isAbsolute() {
        return isAbsolute;
    }

    @Override
    public @Nullable Path getRoot() {
        return isAbsolute ? part(0, 0, /* absolute */ true) : null;
    }

    @Override
    public @Nullable Path getFileName() {
        return names.isEmpty() ? null : part(names.size() - 1, names.size(), /* absolute */ false);
    }

    @Override
    public @Nullable Path getParent() {
        return names.isEmpty() || (names.size() == 1 && !isAbsolute) ? null : part(0, names.size() - 1, isAbsolute);
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public Path getName(int index) {
        return subpath(index, index + 1);
    }

    @Override
    public Path subpath(int from, int to) {
        if (from < 0 || to <= from || to > names.size()) {
            throw new IllegalArgumentException("from " + from + " to " + to + " of " + this);
        }
        return part(from, to, /* absolute */ false);
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof StorePath path
                && path.isAbsolute == isAbsolute
                && path.bucket.equals(bucket)
                && path.names.size() <= names.size()
                && names.subList(0, path.names.size()).equals(path.names);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!(other instanceof StorePath path) || path.isAbsolute) {
            return equals(other);
        }
        int from = names.size() - path.names.size();
        return from >= 0 && names.subList(from, names.size()).equals(path.names);
    }

    /** {@inheritDoc} Names such as {@code ..} are ordinary ones in a key. */
    @Override
    public Path normalize() {
        return this;
    }

    @Override
    public Path resolve(Path other) {
        if (other instanceof StorePath path && path.isAbsolute) {
            return path;
        }
        String rest = other.toString();
        return rest.isEmpty() ? this : new StorePath(bucket, isAbsolute, names.isEmpty() ? rest : key + "/" + rest);
    }

    @Override
    public Path relativize(Path other) {
        StorePath path = of(other);
        if (!path.startsWith(this)) {
            throw new IllegalArgumentException(other + " is not below " + this);
        }
        return path.part(names.size(), path.names.size(), /* absolute */ false);
    }

    /** {@inheritDoc} The key is quoted where a URI needs it. */
    @Override
    public URI toUri() {
        try {
            return new URI(bucket.provider().getScheme(), bucket.authority(), "/" + key, null, null);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(this + " has no URI", e);
        }
    }

    @Override
    public Path toAbsolutePath() {
        return isAbsolute ? this : new StorePath(bucket, /* isAbsolute */ true, key);
    }

    @Override
    public Path toRealPath(LinkOption... options) {
        return toAbsolutePath();
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("buckets are not watched");
    }

    @Override
    public int compareTo(Path other) {
        return toString().compareTo(other.toString());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StorePath path
                && path.isAbsolute == isAbsolute
                && path.bucket.equals(bucket)
                && path.key.equals(key);
    }

    @Override
    public int hashCode() {
        return Objects.hash(bucket, isAbsolute, key);
    }

    /** The URL as users write it, which quotes nothing; of a relative path, the names. */
    @Override
    public String toString() {
        return isAbsolute ? bucket.url() + "/" + key : key;
    }
}
