package io.overdrive.jobs.sql;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.Installation;
import io.overdrive.jobs.StateDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Finds the engine for queries. Stateless. */
public final class SqlEngines {
    /** The version of DuckDB's driver that the module sql is tested with. */
    public static final String VERSION = "1.5.5.0";

    private static final String PART = "sql";
    private static final String JAR = "duckdb_jdbc-" + VERSION + ".jar";

    private SqlEngines() {}

    /**
     * The engine of the class path; else that of the installation, with the jar of DuckDB, which is not part of it.
     *
     * @throws OverdriveException of kind INPUT if it is not there; its message says how to add it
     */
    public static SqlEngine find() {
        SqlEngine own = find(SqlEngines.class.getClassLoader());
        return own != null ? own : installed(Installation.part(PART), directory(System.getenv()));
    }

    /**
     * The engine in directories with jars.
     *
     * @param part of the installation; null without one
     * @param added directory for jars that users add
     */
    static SqlEngine installed(@Nullable Path part, Path added) {
        List<Path> directories = new ArrayList<>(List.of(added));
        if (part != null) {
            directories.add(part);
        }
        Path jar = directories.stream()
                .map(each -> each.resolve(JAR))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new OverdriveException(Kind.INPUT, missing(added)));
        Path library = NativeLibrary.unpacked(
                jar,
                NativeLibrary.resource(System.getProperty("os.name", ""), System.getProperty("os.arch", "")),
                added);
        ClassLoader classes = library == null
                ? Installation.classes(directories)
                : Installation.classes(directories, (jars, parent) -> NativeLibrary.classes(jars, parent, library));
        SqlEngine found = classes == null ? null : find(classes);
        if (found == null) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "queries in SQL need the jars of " + PART + " in lib of the installation, which lacks them: install"
                            + " Overdrive again");
        }
        return found;
    }

    /** Says how to add DuckDB, in a line. */
    private static String missing(Path added) {
        return "queries in SQL need DuckDB, which is not part of the installation (80 MB): add it once with mvn"
                + " dependency:copy -Dartifact=org.duckdb:duckdb_jdbc:" + VERSION + " -DoutputDirectory=" + added
                + ", or put " + JAR + " there by hand";
    }

    private static @Nullable SqlEngine find(ClassLoader classes) {
        return ServiceLoader.load(SqlEngine.class, classes).findFirst().orElse(null);
    }

    /** The directory for jars that users add. */
    static Path directory(Map<String, String> environment) {
        String cache = environment.getOrDefault("OVERDRIVE_HOME", "");
        return (cache.isBlank()
                        ? StateDirectory.home(environment).resolve(".cache").resolve("overdrive")
                        : Path.of(cache).toAbsolutePath().normalize())
                .resolve(PART);
    }
}
