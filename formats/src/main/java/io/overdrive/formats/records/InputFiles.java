package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/** Turns the user's arguments into files to read: paths, directories, globs, and {@code -} for standard input. */
public final class InputFiles {
    private static final Set<String> CSV = Set.of("csv", "tsv", "tab", "txt");
    private static final Set<String> JSON = Set.of("json", "jsonl", "ndjson");
    private static final Set<String> ARROW = Set.of("arrow", "arrows", "feather");
    private static final Set<String> PARQUET = Set.of("parquet", "pq");

    /** Maximum number of files left out that a message names. */
    private static final int NAMED_FILES = 5;

    private InputFiles() {}

    /**
     * The files in the order in which they are read: in the order of the arguments, sorted within a directory or a
     * glob. A file with several names, including links, is read once.
     *
     * @throws OverdriveException of kind INPUT if an argument matches no file
     */
    public static List<InputFile> expand(List<String> arguments) {
        return expand(arguments, note -> {});
    }

    /**
     * The files of a directory that are not read because of their names. Immutable.
     *
     * @param filesRead how many of its files are read
     * @param files those left out that no other argument names
     */
    public record LeftOut(Path directory, int filesRead, List<Path> files) {
        public LeftOut {
            files = List.copyOf(files);
        }

        /** A sentence, with some of the names. */
        @Override
        public String toString() {
            return directory + ": " + filesRead + (filesRead == 1 ? " file is" : " files are") + " read, "
                    + files.size()
                    + " left out by name: "
                    + files.stream().limit(NAMED_FILES).map(this::name).collect(Collectors.joining(", "))
                    + (files.size() > NAMED_FILES ? ", …" : "");
        }

        /** The name within the directory; all of the path if it has none, as an object whose key ends with a slash. */
        private String name(Path file) {
            String name = directory.relativize(file).toString();
            return name.isEmpty() ? file.toString() : name;
        }
    }

    /**
     * As {@link #expand(List)}.
     *
     * @param notes receives notes on files that are left out, for each directory with such files
     */
    public static List<InputFile> expand(List<String> arguments, Consumer<LeftOut> notes) {
        if (arguments.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT, "no input: name files, directories, globs, or - for standard input");
        }
        Map<Object, InputFile> files = new LinkedHashMap<>();
        List<LeftOut> leftOut = new ArrayList<>();
        Map<Path, Manifest.Listed> listed = new HashMap<>();
        for (String argument : arguments) {
            if (argument.equals("-")) {
                files.putIfAbsent(Path.of("-"), InputFile.standardInput());
            } else {
                for (Path path : paths(argument, leftOut, listed)) {
                    files.computeIfAbsent(
                            identity(path), real -> file(argument, path).listed(listed.get(path)));
                }
            }
        }
        for (LeftOut each : leftOut) {
            List<Path> unread = each.files.stream()
                    .filter(file -> !files.containsKey(identity(file)))
                    .toList();
            if (!unread.isEmpty()) {
                notes.accept(new LeftOut(each.directory, each.filesRead, unread));
            }
        }
        return List.copyOf(files.values());
    }

    /**
     * The identity that all names and links of a file share. Keys of files are used for hard links only: not all file
     * systems have unique ones.
     */
    private static Object identity(Path path) {
        try {
            if (path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
                Map<String, Object> attributes = Files.readAttributes(path, "unix:nlink,fileKey");
                Object key = attributes.get("fileKey");
                if (key != null && attributes.get("nlink") instanceof Integer links && links > 1) {
                    return key;
                }
            }
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize(); // a pipe of the process, or missing
        }
    }

    private static InputFile file(String argument, Path path) {
        Path directory = Location.path(argument);
        return Location.isListed(directory) && Files.isDirectory(directory)
                ? InputFile.below(directory, path)
                : InputFile.of(path);
    }

    static boolean isCsv(String extension) {
        return CSV.contains(extension);
    }

    static boolean isJson(String extension) {
        return JSON.contains(extension);
    }

    static boolean isArrow(String extension) {
        return ARROW.contains(extension);
    }

    static boolean isParquet(String extension) {
        return PARQUET.contains(extension);
    }

    private static boolean isKnown(String extension) {
        return isCsv(extension) || isJson(extension) || isArrow(extension) || isParquet(extension);
    }

    /** Whether a name without a path is surely one of a file, by its extension. */
    public static boolean isNameOfFile(String name) {
        return isKnown(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
    }

    /** The default delimiter of CSV files with this extension. */
    static String delimiter(String extension) {
        return extension.equals("tsv") || extension.equals("tab") ? "\t" : ",";
    }

    private static List<Path> paths(String argument, List<LeftOut> leftOut, Map<Path, Manifest.Listed> listed) {
        Path path = Location.path(argument);
        if (!Location.isListed(path)) {
            if (isGlob(path.toString()) && !Files.exists(path)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        path + ": there is no such file, and a web server does not list those that match a glob: name"
                                + " each file");
            }
            return List.of(path);
        }
        if (Files.isDirectory(path)) {
            return directory(path, leftOut, listed);
        }
        // an existing file whose name contains a * is taken literally
        if (!isGlob(argument) || Files.exists(path)) {
            return List.of(path);
        }
        return glob(argument);
    }

    /** All files in the directory tree that have a known extension and are not hidden. */
    private static List<Path> directory(Path directory, List<LeftOut> leftOut, Map<Path, Manifest.Listed> listed) {
        List<Path> others = new ArrayList<>();
        List<Path> found = walk(directory, Integer.MAX_VALUE, file -> isKnown(extension(file)), others);
        listed.putAll(Manifest.check(directory, found, others));
        others.removeIf(InputFiles::isAboutUnload);
        if (found.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> directory + ": no input file in this directory; looked for .csv .tsv .tab .txt .json"
                            + " .jsonl .ndjson .arrow .arrows .feather .parquet .pq, compressed or not. "
                            + wayOut(directory, others).in(words));
        }
        int distinct = (int) found.stream().map(InputFiles::identity).distinct().count();
        leftOut.add(new LeftOut(directory, distinct, others));
        return found;
    }

    /** Advice for a directory that has only these files. */
    private static MessageText wayOut(Path directory, List<Path> others) {
        for (Path file : others) {
            if (!isHidden(directory.relativize(file)) && OtherFormat.of(extension(file)) != null) {
                return words -> file + InputFormat.wayOut(extension(file)).in(words);
            }
        }
        return words -> "Files with other names can be given by a glob: " + directory + "/*";
    }

    /** The extension before the one of the compression, if there is one. */
    private static String extension(Path file) {
        return Compression.extension(Compression.strip(String.valueOf(file.getFileName())));
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
        Path root = Location.path(slash < 0 ? "" : argument.substring(0, slash + 1));
        String rest = argument.substring(slash + 1);
        int depth = rest.contains("**")
                ? Integer.MAX_VALUE
                : (int) rest.chars().filter(c -> c == '/').count() + 1;
        PathMatcher matcher;
        try {
            matcher = root.getFileSystem().getPathMatcher("glob:" + rest);
        } catch (PatternSyntaxException e) {
            throw new OverdriveException(Kind.INPUT, argument + ": invalid glob: " + e.getDescription(), e);
        }
        List<Path> found = Files.isDirectory(root)
                ? walk(root, depth, file -> matcher.matches(root.relativize(file)), new ArrayList<>())
                : List.of();
        if (found.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    argument + ": no file matches"
                            + (Files.isDirectory(root) ? "" : "; " + root + " is not a directory"));
        }
        return found;
    }

    private static List<Path> walk(Path root, int depth, Predicate<Path> wanted, List<Path> leftOut) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(root, Set.of(FileVisitOption.FOLLOW_LINKS), depth, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile()) {
                        boolean taken = !isHidden(root.relativize(file)) && !isAboutUnload(file) && wanted.test(file);
                        (taken ? found : leftOut).add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    if (e instanceof FileSystemLoopException) {
                        return FileVisitResult.CONTINUE; // a link to a parent directory, whose files are found there
                    }
                    throw new OverdriveException(Kind.INPUT, file + ": cannot be listed: " + whyNotListed(e), e);
                }
            });
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, root + ": cannot be listed: " + whyNotListed(e), e);
        }
        found.sort(null);
        leftOut.sort(null);
        return found;
    }

    private static String whyNotListed(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such directory";
        }
        return e instanceof AccessDeniedException denied && denied.getReason() == null
                ? "this user has no permission to read it"
                : WritableDirectory.reason(e);
    }

    private static boolean isAboutUnload(Path file) {
        return String.valueOf(file.getFileName()).startsWith(Manifest.PREFIX);
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
