package io.overdrive.stores;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.Uploader;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Objects of a store as files, which can be read in any order, listed and deleted; files of this machine can be uploaded. Other writes are
 * unsupported. Thread-safe.
 */
abstract class StoreProvider extends FileSystemProvider implements Uploader {
    private static final BlockCache CACHE = new BlockCache();

    private final Map<String, StoreFileSystem> buckets = new ConcurrentHashMap<>();
    private @Nullable ObjectStore store;

    /** Makes the client of the store. */
    abstract ObjectStore open();

    final synchronized ObjectStore store() {
        ObjectStore known = store;
        if (known == null) {
            known = open();
            store = known;
        }
        return known;
    }

    /** The path of an object, of the form {@code scheme://bucket/key}. */
    @Override
    public Path getPath(URI uri) {
        String bucket = uri.getRawAuthority();
        if (bucket == null || bucket.isEmpty()) {
            throw new IllegalArgumentException(uri + " names no bucket: it is " + getScheme() + "://bucket/key");
        }
        String path = uri.getPath();
        String key = path.isEmpty() ? "" : path.substring(1);
        boolean isDirectory = key.endsWith("/") || key.isEmpty();
        return path(
                bucket,
                getScheme() + "://" + bucket,
                key.endsWith("/") ? key.substring(0, key.length() - 1) : key,
                isDirectory ? ObjectAttributes.DIRECTORY : null);
    }

    /** @param url the beginning of the URL of each object of the bucket */
    final Path path(String bucket, String url, String key, @Nullable ObjectAttributes found) {
        StoreFileSystem system = buckets.computeIfAbsent(bucket, name -> new StoreFileSystem(this, name, url));
        return new StorePath(system, /* isAbsolute */ true, key, found, null);
    }

    @Override
    public final InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        StorePath object = StorePath.of(path);
        return new ObjectStream(store(), object, object(object));
    }

    @Override
    public final FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        for (OpenOption each : options) {
            if (each != StandardOpenOption.READ) {
                throw new UnsupportedOperationException(path + ": objects are not opened for writing: " + each);
            }
        }
        StorePath object = StorePath.of(path);
        ObjectAttributes found = object(object);
        if (!found.hasParts()) {
            throw new IOException(path + ": the server sends no parts of it; save it in a file first");
        }
        return new ObjectChannel(store(), CACHE, object, found);
    }

    @Override
    public final SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    private ObjectAttributes object(StorePath path) throws IOException {
        ObjectAttributes attributes = attributes(path);
        if (attributes.isDirectory()) {
            throw new IOException(path + ": is a directory, not an object");
        }
        return attributes;
    }

    @Override
    public final DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        StorePath directory = StorePath.of(path);
        List<Path> wanted = new ArrayList<>();
        List<Path> all = Listing.of(directory, store());
        if (all.isEmpty() && directory.listing() == null && !find(directory).isDirectory()) {
            throw new NotDirectoryException(path.toString());
        }
        for (Path each : all) {
            if (filter.accept(each)) {
                wanted.add(each);
            }
        }
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return wanted.iterator();
            }

            @Override
            public void close() {}
        };
    }

    /** An object, or else a directory if there are objects in it. */
    private ObjectAttributes attributes(StorePath path) throws IOException {
        ObjectAttributes known = path.found();
        if (known != null) {
            return known;
        }
        ObjectAttributes found = find(path);
        path.found(found);
        return found;
    }

    private ObjectAttributes find(StorePath path) throws IOException {
        ObjectAttributes found = path.key().isEmpty() ? null : store().find(path.bucket(), path.key());
        if (found != null) {
            return found;
        } else if (Listing.hasObjects(path, store()) || path.key().isEmpty()) {
            return ObjectAttributes.DIRECTORY;
        }
        throw new NoSuchFileException(path.toString());
    }

    @Override
    @SuppressWarnings("unchecked") // the type is checked
    public final <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (type != BasicFileAttributes.class) {
            throw new UnsupportedOperationException("objects have no " + type.getSimpleName());
        }
        return (A) asked(path);
    }

    /**
     * The attributes for those who ask whether there is an object or a directory. A failure is unchecked, as Files.exists and
     * Files.isDirectory take any other one for an answer: that there is none.
     */
    private ObjectAttributes asked(Path path) throws NoSuchFileException {
        try {
            return attributes(StorePath.of(path));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (AccessDeniedException e) {
            throw new OverdriveException(Kind.INPUT, path + ": no permission to read it: " + e.getReason(), e);
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, path + ": " + WritableDirectory.reason(e), e);
        }
    }

    @Override
    public final <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        if (type != BasicFileAttributeView.class) {
            return null;
        }
        throw new UnsupportedOperationException("read attributes with readAttributes");
    }

    @Override
    public final Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
        throw new UnsupportedOperationException("read attributes by their class");
    }

    @Override
    public final void checkAccess(Path path, AccessMode... modes) throws IOException {
        asked(path);
    }

    @Override
    public final void upload(Path from, Path to) throws IOException {
        StorePath object = StorePath.of(to);
        long size = Files.size(from);
        String version = store().write(object.bucket(), object.key(), from, size);
        if (!version.isEmpty()) {
            object.found(ObjectAttributes.of(size, Files.getLastModifiedTime(from), version));
        }
    }

    @Override
    public final void discardUploads(Path below, Set<Path> files) throws IOException {
        StorePath place = StorePath.of(below);
        Set<String> keys = files.stream().map(each -> StorePath.of(each).key()).collect(Collectors.toSet());
        store().discardUploads(place.bucket(), place.key(), keys);
    }

    @Override
    public final void create(Path path, byte[] content) throws IOException {
        StorePath object = StorePath.of(path);
        store().create(object.bucket(), object.key(), content);
    }

    @Override
    public final void delete(Path path) throws IOException {
        StorePath object = StorePath.of(path);
        store().delete(object.bucket(), object.key());
    }

    /** {@inheritDoc} A directory exists while there are objects in it, so there is nothing to create. */
    @Override
    public final void createDirectory(Path directory, FileAttribute<?>... attributes) {}

    @Override
    public final void copy(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException("objects are not copied");
    }

    @Override
    public final void move(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException("objects are not moved");
    }

    @Override
    public final boolean isSameFile(Path path, Path other) {
        return path.equals(other);
    }

    /** {@inheritDoc} None is: a name that begins with a dot is left out where files of this machine are, too. */
    @Override
    public final boolean isHidden(Path path) {
        return false;
    }

    @Override
    public final FileStore getFileStore(Path path) {
        throw new UnsupportedOperationException("a bucket has no size");
    }

    @Override
    public final void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
        throw new UnsupportedOperationException("attributes of objects are not set");
    }

    @Override
    public final FileSystem newFileSystem(URI uri, Map<String, ?> env) {
        throw new UnsupportedOperationException("take getPath");
    }

    @Override
    public final FileSystem getFileSystem(URI uri) {
        return getPath(uri).getFileSystem();
    }
}
