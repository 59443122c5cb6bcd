package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.names.JobOption;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The SSTables of a table as one process has found them, for others that read a part of the ring each: all of them must read the same files.
 * Immutable.
 *
 * @param data the Data.db of each, as {@link Location#path} takes it
 * @param bytes their lengths
 * @param nowSeconds the time at which all see the rows, in seconds since 1970: what expires then or before has expired
 */
public record FoundSstables(List<String> data, List<Long> bytes, long nowSeconds) implements Serializable {
    private static final long serialVersionUID = 1;

    public FoundSstables {
        data = List.copyOf(data);
        bytes = List.copyOf(bytes);
    }

    /**
     * Finds them. It opens none, and reads no row.
     *
     * @param directories as {@link SstableDirectories#list} takes them
     * @param keyspace of the table, not quoted
     * @throws OverdriveException as {@link SstableDirectories#list} does
     */
    public static FoundSstables in(List<Path> directories, String keyspace, String table) {
        List<String> data = new ArrayList<>();
        List<Long> bytes = new ArrayList<>();
        for (Path each : SstableDirectories.list(directories, keyspace, table)) {
            Path path = each.toAbsolutePath();
            try {
                bytes.add(Files.size(path));
            } catch (IOException e) {
                throw new OverdriveException(Kind.DISK, path + " cannot be read: " + e, e);
            }
            data.add(path.toString());
        }
        return new FoundSstables(data, bytes, Instant.now().getEpochSecond());
    }

    public long totalBytes() {
        return bytes.stream().mapToLong(Long::longValue).sum();
    }

    /** Parts of the ring with equal numbers of tokens, and so with about the same bytes. */
    public List<Split> splits() {
        long all = totalBytes();
        return SstableRows.cut(all, (from, to, count) -> all / count);
    }

    /**
     * The files as this process sees them.
     *
     * @throws OverdriveException of kind INPUT if one is missing here, or has another length; of kind DISK if one cannot be read
     */
    List<Path> here() {
        List<Path> paths = new ArrayList<>();
        for (int i = 0; i < data.size(); i++) {
            Path path = Location.path(data.get(i));
            long found;
            try {
                found = Files.size(path);
            } catch (NoSuchFileException e) {
                throw differs(path + " is missing on this machine", e);
            } catch (IOException e) {
                throw new OverdriveException(Kind.DISK, path + " cannot be read: " + e, e);
            }
            if (found != bytes.get(i)) {
                throw differs(
                        path + " has " + found + " bytes on this machine, and " + bytes.get(i)
                                + " where the read was planned",
                        null);
            }
            paths.add(path);
        }
        return paths;
    }

    private static OverdriveException differs(String how, @Nullable Throwable cause) {
        return new OverdriveException(
                Kind.INPUT,
                words -> how + ": " + words.of(JobOption.FROM_SSTABLES)
                        + " must name the same files everywhere, such as those of a shared file system or an object"
                        + " store, and they must not change",
                cause);
    }
}
