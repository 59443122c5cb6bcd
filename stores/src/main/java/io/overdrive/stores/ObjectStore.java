package io.overdrive.stores;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a store, each of which is retried as far as its client does so. Thread-safe.
 *
 * <p>Failures are {@link java.nio.file.NoSuchFileException} for an object or a bucket that does not exist, {@link
 * java.nio.file.AccessDeniedException} for missing rights, {@link ChangedObjectException}, and otherwise an IOException that says what the
 * store has answered.
 */
interface ObjectStore {
    /** An object of a listing. */
    record Item(String key, ObjectAttributes attributes) {}

    /**
     * A part of a listing.
     *
     * @param directories prefixes that end with a slash, if directories are not entered
     * @param next where the next part begins; null after the last one
     */
    record Items(List<Item> objects, List<String> directories, @Nullable String next) {}

    /** The attributes of an object; null if there is none with this key. */
    @Nullable ObjectAttributes find(String bucket, String key) throws IOException;

    /**
     * Lists objects in the order of their keys.
     *
     * @param prefix of the keys
     * @param enters whether the objects of directories are listed, too
     * @param from {@link Items#next} of the part before; null for the first part
     * @param limit of the number of objects, at most 1,000
     */
    Items list(String bucket, String prefix, boolean enters, @Nullable String from, int limit) throws IOException;

    /**
     * Opens a part of an object.
     *
     * @param count of bytes, of which there is at least one; negative for all to the end, of an object without a size
     * @param version that the object must have
     * @return a stream that may fail or end early, when the connection does
     */
    InputStream read(String bucket, String key, long from, long count, String version) throws IOException;

    /**
     * Makes an object of a file. The object appears when all of it has arrived, and replaces one with the same key.
     *
     * @param size of the file
     * @return the version of the object
     */
    String write(String bucket, String key, Path from, long size) throws IOException;

    /**
     * Creates an object, unless there is one with this key and another content.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one
     */
    void create(String bucket, String key, byte[] content) throws IOException;

    /**
     * Discards parts of objects that were uploaded by a run that was killed; a store whose parts expire by themselves has nothing to do.
     *
     * @param prefix of all keys
     */
    default void discardUploads(String bucket, String prefix, Set<String> keys) throws IOException {}

    /** Deletes an object, if there is one with this key. */
    void delete(String bucket, String key) throws IOException;

    /** The pauses before retries of a read. */
    BackOff backOff();
}
