package io.overdrive.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/** Turns what the user wrote into files to read: paths, directories, globs, and {@code -} for standard input. */
public final class InputFiles {
    private static final Set<String> CSV = Set.of("csv", "tsv", "txt");
    private static final Set<String> JSON = Set.of("json", "jsonl", "ndjson");

    private InputFiles() {}

    /**
     * The files in the order in which they are read: that of the arguments; sorted within a directory or a glob. A file
     * named twice is read once.
     *
     * @throws InputException if an argument gives no file
     */
    public static List<InputFile> expand(List<String> arguments) {
        if (arguments.isEmpty()) {
            throw new InputException("no input: name files, directories, globs, or - for standard input");
        }
        Map<Path, InputFile> files = new LinkedHashMap<>();
        for (String argument : arguments) {
            if (argument.equals("-")) {
                files.putIfAbsent(Path.of("-"), InputFile.standardInput());
            } else {
                for (Path path : paths(argument)) {
                    files.computeIfAbsent(path.toAbsolutePath().normalize(), absolute -> InputFile.of(path));
                }
            }
        }
        return List.copyOf(files.values());
    }

    static boolean isCsv(String extension) {
        return CSV.contains(extension);
    }

    static boolean isJson(String extension) {
        return JSON.contains(extension);
    }

    private static List<Path> paths(String argument) {
        Path path;
        try {
            path = Path.of(argument);
        } catch (InvalidPathException e) {
            throw new InputException(argument + ": is not a path: " + e.getReason(), e);
        }
        if (Files.isDirectory(path)) {
            return directory(path);
        }
        // a file whose name happens to hold a * is meant literally
        if (!isGlob(argument) || Files.exists(path)) {
            return List.of(path);
        }
        return glob(argument);
    }

    private static List<Path> directory(Path directory) {
        List<Path> found = walk(directory, Integer.MAX_VALUE, file -> {
            String bare = Compression.strip(String.valueOf(file.getFileName()));
            String extension = Compression.extension(bare);
            return isCsv(extension) || isJson(extension);
        });
        if (found.isEmpty()) {
            throw new InputException(directory + ": the directory holds no input file; looked for .csv .tsv .txt .json"
                    + " .jsonl .ndjson, packed or not. Files with other names can be given by a glob: " + directory
                    + "/*");
        }
        return found;
    }

    private static boolean isGlob(String argument) {
        return argument.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{');
    }

    private static List<Path> glob(String argument) {
        int special = 0;
        while ("*?[{".indexOf(argument.charAt(special)) < 0) {
            special++;
        }
        int slash = argument.lastIndexOf('/', special);
        Path root = Path.of(slash < 0 ? "" : argument.substring(0, slash + 1));
        String rest = argument.substring(slash + 1);
        int depth = rest.contains("**")
                ? Integer.MAX_VALUE
                : (int) rest.chars().filter(c -> c == '/').count() + 1;
        PathMatcher matcher;
        try {
            matcher = root.getFileSystem().getPathMatcher("glob:" + rest);
        } catch (PatternSyntaxException e) {
            throw new InputException(argument + ": is not a glob: " + e.getDescription(), e);
        }
        List<Path> found =
                Files.isDirectory(root) ? walk(root, depth, file -> matcher.matches(root.relativize(file))) : List.of();
        if (found.isEmpty()) {
            throw new InputException(argument + ": no file matches"
                    + (Files.isDirectory(root) ? "" : "; " + root + " is not a directory"));
        }
        return found;
    }

    private static List<Path> walk(Path root, int depth, Predicate<Path> wanted) {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(root, depth, FileVisitOption.FOLLOW_LINKS)) {
            walk.filter(file -> !isHidden(root.relativize(file)) && Files.isRegularFile(file) && wanted.test(file))
                    .sorted()
                    .forEach(found::add);
        } catch (IOException | UncheckedIOException e) {
            throw new InputException(root + ": cannot be listed: " + e.getMessage(), e);
        }
        return found;
    }

    private static boolean isHidden(Path relative) {
        for (Path part : relative) {
            if (part.toString().startsWith(".")) {
                return true;
            }
        }
        return false;
    }
}
