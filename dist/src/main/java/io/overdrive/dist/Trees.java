package io.overdrive.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories and their contents. Stateless. */
final class Trees {
    private Trees() {}

    /** All files below a directory, in the order of their names on any system. */
    static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(Files::isRegularFile)
                    .sorted((a, b) -> name(directory, a).compareTo(name(directory, b)))
                    .toList();
        }
    }

    /** Relative, with slashes. */
    static String name(Path directory, Path file) {
        return directory
                .relativize(file)
                .toString()
                .replace(file.getFileSystem().getSeparator(), "/");
    }

    /** Deletes a directory with its contents, if it exists. */
    static void delete(Path directory) throws IOException {
        if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> walk = Files.walk(directory)) {
                for (Path each : walk.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
