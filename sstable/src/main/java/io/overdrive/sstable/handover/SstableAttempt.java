package io.overdrive.sstable.handover;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.sstable.sort.Pass;
import io.overdrive.sstable.sort.SstableSorter;
import io.overdrive.sstable.sort.SstableSorter.Written;
import io.overdrive.sstable.sort.TokenOwners;
import io.overdrive.sstable.write.Sstable;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Output of one attempt of a task of a {@link SstableJob}: a series of SSTables, one for each node, in a directory that
 * no other attempt has. Confined to the thread of the task.
 */
public final class SstableAttempt {
    private final Path root;
    private final String name;

    /**
     * The files of one SSTable. Immutable.
     *
     * @param owner the number of its node
     * @param names of the files
     * @param rows in them
     * @param bytes of the files
     */
    record Files(int owner, List<String> names, long rows, long bytes) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /**
     * The SSTables that were written, for the job. Immutable.
     *
     * @param attempt its name
     * @param sstables of all nodes
     */
    public record Result(String attempt, List<Files> sstables) implements Serializable {
        private static final long serialVersionUID = 1;

        /** Bytes of all files. */
        public long bytes() {
            return sstables.stream().mapToLong(Files::bytes).sum();
        }
    }

    /**
     * @param root as {@link SstableJob#start} returned it
     * @param name of the attempt, which no other one of the job has: letters, digits and hyphens
     */
    public SstableAttempt(Path root, String name) {
        this.root = root;
        this.name = name;
    }

    /** The result of a task without rows. */
    public static Result nothing() {
        return new Result("", List.of());
    }

    /**
     * Writes and syncs the rows of a sorter.
     *
     * @param owners as the job has them
     * @param nodes as the job has them
     * @throws OverdriveException of kind DISK if files cannot be written; of kind INPUT if the directory of the job is not there, or rows
     *     of one key cannot be merged; of kind INTERRUPTED if the sorter was stopped. Nothing is left then
     */
    public Result write(SstableSorter sorter, TokenOwners owners, int nodes) {
        try {
            Staging.createAttempt(root, name);
        } catch (NoSuchFileException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    root
                            + ": this task does not see the directory of its job: the job has ended, or the directory is on a"
                            + " file system that not all hosts of the job share",
                    e);
        } catch (IOException e) {
            delete();
            throw new OverdriveException(
                    Kind.DISK, root + ": no directory can be created there: " + WritableDirectory.reason(e), e);
        }
        Written written;
        try {
            written = sorter.write(owners, nodes, new Directories(root, name), /* maxThreads */ 1, Pass.WHOLE);
        } catch (RuntimeException e) {
            delete();
            throw e;
        }
        List<Files> all = new ArrayList<>();
        for (int owner = 0; owner < nodes; owner++) {
            for (Sstable each : written.sstables().get(owner)) {
                all.add(new Files(
                        owner,
                        each.files().stream()
                                .map(file -> file.getFileName().toString())
                                .toList(),
                        each.rows(),
                        each.bytes()));
            }
        }
        return new Result(name, List.copyOf(all));
    }

    /** Creates the directory of a node when it gets rows: a task along the ring has rows of few nodes. */
    private record Directories(Path root, String name) implements SstableSorter.Directories {
        @Override
        public Path of(int owner) throws IOException {
            return Staging.createAttempt(root, name, owner);
        }

        @Override
        public String toString() {
            return root.toString();
        }
    }

    /** Deletes the written files, as far as possible; the job deletes the rest. */
    public void delete() {
        Staging.deleteAttempt(root, name);
    }
}
