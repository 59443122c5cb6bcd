package io.overdrive.internal.disk;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory in which the command line is installed, and parts of it that few runs need. Stateless. */
public final class Installation {
    private Installation() {}

    /** The directory below {@code lib} with the jars of a part, such as {@code stores}; null if this process does not run from an installation. */
    public static @Nullable Path part(String name) {
        String home = System.getProperty("overdrive.home");
        return home == null ? null : Path.of(home, "lib", name);
    }

    /**
     * The classes of directories with jars, and of this process; null if none of the directories exists.
     *
     * @throws OverdriveException of kind INPUT if one cannot be listed
     */
    public static @Nullable ClassLoader classes(List<Path> directories) {
        return classes(directories, URLClassLoader::new);
    }

    /**
     * As {@link #classes(List)}, with another loader.
     *
     * @param loader makes it for jars and the loader of this process
     */
    public static @Nullable ClassLoader classes(
            List<Path> directories, BiFunction<URL[], ClassLoader, URLClassLoader> loader) {
        List<URL> jars = new ArrayList<>();
        for (Path directory : directories) {
            if (Files.isDirectory(directory)) {
                addJars(directory, jars);
            }
        }
        return jars.isEmpty() ? null : loader.apply(jars.toArray(URL[]::new), Installation.class.getClassLoader());
    }

    private static void addJars(Path directory, List<URL> jars) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path each : files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                jars.add(each.toUri().toURL());
            }
        } catch (MalformedURLException e) {
            throw new IllegalStateException(directory + " has a file that no URL names", e);
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, directory + ": cannot be listed: " + e, e);
        }
    }
}
