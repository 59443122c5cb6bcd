package io.overdrive.formats.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.OverdriveException;
import io.overdrive.internal.disk.FileName;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tables of an unload of a keyspace, each in a directory below that of the manifest, and whether all are there. It is written at the
 * start, and again at the end. Immutable.
 *
 * @param source the keyspace and its cluster
 * @param run that writes here; empty if it has no journal
 * @param started when the run began, as ISO 8601
 * @param isComplete whether all tables are there
 * @param writtenAfter the time after which the cells of tables that are not whole were written, as ISO 8601; empty if all tables are
 *     whole
 * @param tables of the run
 */
public record KeyspaceManifest(
        Source source, String run, String started, boolean isComplete, String writtenAfter, List<Table> tables) {
    public static final String NAME = Manifest.PREFIX + "keyspace.json";

    /** The statements that create the keyspace. */
    public static final String SCHEMA = "schema.cql";

    private static final int FORMAT = 1;
    /** The number of rows of a table that is not complete. */
    private static final long UNKNOWN = -1;

    private static final String TABLES = "tables";
    private static final String WAY_OUT =
            "name the directory of one of its tables, or a keyspace in place of the table to load all of them";

    public KeyspaceManifest {
        tables = List.copyOf(tables);
    }

    /**
     * A keyspace.
     *
     * @param keyspace as in CQL, in quotes if necessary
     * @param cluster name of its cluster
     * @param releases of its nodes, separated by commas
     */
    public record Source(String keyspace, String cluster, String releases) {}

    /** The cells of a table, as far as they decide how it can be written. */
    public enum Kind {
        PLAIN,
        /** Lists that are not frozen. */
        LISTS,
        COUNTERS
    }

    /**
     * A table.
     *
     * @param name as in CQL, in quotes if necessary
     * @param directory of its files, by its name
     * @param hasTimes whether cells have their times
     * @param rows -1 if it is not complete
     */
    public record Table(String name, String directory, Kind kind, boolean hasTimes, long rows) {
        public Table(String name, String directory, Kind kind, boolean hasTimes) {
            this(name, directory, kind, hasTimes, UNKNOWN);
        }

        /** The same table, complete, with so many rows. */
        public Table with(long complete) {
            return new Table(name, directory, kind, hasTimes, complete);
        }

        public boolean isComplete() {
            return rows != UNKNOWN;
        }

        /** Whether a row that is sent twice has another effect than one that is sent once. */
        public boolean addsWhenRepeated() {
            return kind == Kind.COUNTERS || (kind == Kind.LISTS && hasTimes);
        }
    }

    /**
     * Names for the directories of tables, which stay distinct if the file system ignores capitals.
     *
     * @param tables their names, not in quotes
     */
    public static List<String> directories(List<String> tables) {
        Set<String> taken =
                new HashSet<>(tables.stream().filter(KeyspaceManifest::isPlain).toList());
        List<String> names = new ArrayList<>();
        for (String table : tables) {
            String name = FileName.of(table);
            String distinct = name;
            for (int number = 2; !isPlain(table) && !taken.add(folded(distinct)); number++) {
                distinct = name + "-" + number;
            }
            names.add(distinct);
        }
        return names;
    }

    /** Whether a table gives its name to its directory, whatever the others are. */
    private static boolean isPlain(String table) {
        return table.equals(FileName.of(table)) && table.equals(folded(table));
    }

    private static String folded(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    public byte[] toJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(bytes).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeNumberField("format", FORMAT);
            json.writeBooleanField("complete", isComplete);
            json.writeStringField("keyspace", source.keyspace);
            json.writeStringField("cluster", source.cluster);
            json.writeStringField("releases", source.releases);
            json.writeStringField("started", started);
            json.writeStringField("run", run);
            if (!writtenAfter.isEmpty()) {
                json.writeStringField(Manifest.WRITTEN_AFTER, writtenAfter);
            }
            json.writeArrayFieldStart(TABLES);
            for (Table each : tables) {
                json.writeStartObject();
                json.writeStringField("table", each.name);
                json.writeStringField("directory", each.directory);
                json.writeStringField("kind", each.kind.name().toLowerCase(Locale.ROOT));
                json.writeBooleanField("times", each.hasTimes);
                if (each.isComplete()) {
                    json.writeNumberField("rows", each.rows);
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads the manifest of a directory.
     *
     * @return null if it has none
     * @throws OverdriveException of kind INPUT if it cannot be read
     */
    public static @Nullable KeyspaceManifest in(Path directory) {
        Path file = directory.resolve(NAME);
        try {
            return new Reader(file).read(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return null;
        } catch (JsonProcessingException e) {
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT, file + ": is damaged: it is no JSON, or was cut", e);
        } catch (NumberFormatException e) {
            throw new OverdriveException(OverdriveException.Kind.INPUT, file + ": is damaged: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT, file + ": cannot be read: " + WritableDirectory.reason(e), e);
        }
    }

    /**
     * Refuses a directory that has the tables of a keyspace, in it or below, whose rows are not those of one table.
     *
     * @param found files in the directory and those below it
     * @throws OverdriveException of kind INPUT
     */
    static void refuse(Path directory, List<Path> found) {
        for (Path each : found) {
            if (each.endsWith(NAME)) {
                Path parent = each.getParent();
                throw new OverdriveException(
                        OverdriveException.Kind.INPUT,
                        (parent == null ? directory : parent) + ": has the tables of a keyspace, by " + NAME + ": "
                                + WAY_OUT);
            }
        }
    }

    /** The state of reading one manifest. */
    private static final class Reader {
        private final Path file;
        private final List<Table> tables = new ArrayList<>();
        private final Map<String, String> members = new HashMap<>();

        Reader(Path file) {
            this.file = file;
        }

        KeyspaceManifest read(byte[] bytes) throws IOException {
            try (JsonParser json = new JsonFactory().createParser(bytes)) {
                boolean isInTables = false;
                Map<String, String> table = new HashMap<>();
                for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                    String name = String.valueOf(json.currentName());
                    if (token == JsonToken.START_ARRAY) {
                        isInTables = name.equals(TABLES);
                    } else if (token == JsonToken.END_ARRAY) {
                        isInTables = false;
                    } else if (token == JsonToken.END_OBJECT && isInTables) {
                        tables.add(table(table));
                        table.clear();
                    } else if (token.isScalarValue()) {
                        (isInTables ? table : members).put(name, json.getText());
                    }
                }
            }
            String format = member(members, "format");
            if (!format.equals(String.valueOf(FORMAT))) {
                throw new OverdriveException(
                        OverdriveException.Kind.INPUT,
                        file + ": has format " + format + ", and this version of overdrive reads " + FORMAT
                                + ": use the version that wrote it, or a later one");
            }
            return new KeyspaceManifest(
                    new Source(member(members, "keyspace"), member(members, "cluster"), member(members, "releases")),
                    member(members, "run"),
                    member(members, "started"),
                    Boolean.parseBoolean(member(members, "complete")),
                    members.getOrDefault(Manifest.WRITTEN_AFTER, ""),
                    tables);
        }

        private Table table(Map<String, String> of) {
            String directory = member(of, "directory");
            if (!directory.equals(FileName.of(directory))) {
                throw new OverdriveException(
                        OverdriveException.Kind.INPUT,
                        file + ": the directory \"" + directory + "\" is none below this one");
            }
            return new Table(
                    member(of, "table"),
                    directory,
                    kind(member(of, "kind")),
                    Boolean.parseBoolean(member(of, "times")),
                    Long.parseLong(of.getOrDefault("rows", String.valueOf(UNKNOWN))));
        }

        private Kind kind(String word) {
            for (Kind each : Kind.values()) {
                if (word.equals(each.name().toLowerCase(Locale.ROOT))) {
                    return each;
                }
            }
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT, file + ": has an unknown kind of table, \"" + word + "\"");
        }

        private String member(Map<String, String> of, String name) {
            String value = of.get(name);
            if (value == null) {
                throw new OverdriveException(
                        OverdriveException.Kind.INPUT,
                        file + ": has no \"" + name + "\": it is damaged, or no manifest of a keyspace");
            }
            return value;
        }
    }
}
