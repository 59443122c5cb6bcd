package io.overdrive.jobs.journal;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of one directory, with the operations that survive a power failure only in part: content is durable once it was forced,
 * names once the directory was. {@link DiskFiles} has the real ones; a test has some that lose what was not forced.
 */
public interface JournalFiles {
    /** A file that is open for appending. Used by one thread at a time. */
    interface Appender extends Closeable {
        /** Appends the bytes. After an exception, part of them may have been appended. */
        void append(byte[] bytes, int length) throws IOException;

        /** Makes everything that was appended durable. */
        void force() throws IOException;
    }

    /** Opens a file for appending; cuts it to this length if it is longer, and creates it if it is missing. */
    Appender open(String name, long length) throws IOException;

    /** The content of a file; null if there is none. */
    byte @Nullable [] read(String name) throws IOException;

    /** Gives a file another name, in one step, and replaces the one that had it. */
    void rename(String from, String to) throws IOException;

    /** Deletes a file if it exists. */
    void delete(String name) throws IOException;

    /** The names of all files. */
    List<String> list() throws IOException;

    /** Makes the names of files durable. */
    void forceDirectory() throws IOException;

    /** Replaces a file in one step that survives a power failure: afterwards it has the content before, or this one. */
    default void replace(String name, byte[] content) throws IOException {
        String next = name + ".new";
        try (Appender file = open(next, 0)) {
            file.append(content, content.length);
            file.force();
        }
        rename(next, name);
        forceDirectory();
    }
}
