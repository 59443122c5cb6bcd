package io.overdrive.stores;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;

/** The objects of a bucket. Immutable. */
final class StoreFileSystem extends FileSystem {
    private final StoreProvider provider;
    private final String bucket;
    private final String url;

    StoreFileSystem(StoreProvider provider, String bucket, String url) {
        this.provider = provider;
        this.bucket = bucket;
        this.url = url;
    }

    String bucket() {
        return bucket;
    }

    /** The beginning of the URL of each object, without a slash at its end. */
    String url() {
        return url;
    }

    /** The part of the URL between the scheme and the key. */
    String authority() {
        return url.substring(url.indexOf("://") + "://".length());
    }

    @Override
    public StoreProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("a bucket is not closed");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(new StorePath(this, /* isAbsolute */ true, ""));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic");
    }

    /** A path below another one: the key of an object is not one, as it begins at the bucket. */
    @Override
    public Path getPath(String first, String... more) {
        return new StorePath(
                this, /* isAbsolute */ false, more.length == 0 ? first : first + "/" + String.join("/", more));
    }

    /** {@inheritDoc} Paths are compared as those of this machine. */
    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher(syntaxAndPattern);
        return path -> matcher.matches(Path.of(path.toString()));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException("objects have no owners here");
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("buckets are not watched");
    }
}
