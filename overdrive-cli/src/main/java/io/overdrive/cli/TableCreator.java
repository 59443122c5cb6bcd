package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import io.overdrive.Overdrive;
import io.overdrive.files.InputException;
import io.overdrive.files.InputFile;
import io.overdrive.files.LoadOptions;
import io.overdrive.files.SchemaGuess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Creates the keyspace and the table of a load where they are missing, with the types of a sample of the input. */
final class TableCreator {
    private static final int USUAL_REPLICAS = 3;
    private static final int STDIN_SAMPLE_BYTES = 8 << 20;
    private static final Pattern COLUMN_AND_TYPE =
            Pattern.compile("(\"(?:[^\"]|\"\")+\"|[^\"\\s]+(?=\\s))\\s*(\\S.*)", Pattern.DOTALL);

    private final Overdrive overdrive;
    private final CqlIdentifier keyspace;
    private final CqlIdentifier table;
    private final String key;
    private final Map<String, String> types;

    TableCreator(Overdrive overdrive, CqlIdentifier keyspace, CqlIdentifier table, String key, String types) {
        this.overdrive = overdrive;
        this.keyspace = keyspace;
        this.table = table;
        this.key = key.strip();
        this.types = parseTypes(types);
    }

    /** Reads {@code a int, "B" map<text, int>}. */
    static Map<String, String> parseTypes(String text) {
        Map<String, String> types = new LinkedHashMap<>();
        for (String part : splitTopLevel(text)) {
            String entry = part.strip();
            Matcher m = COLUMN_AND_TYPE.matcher(entry);
            if (!m.matches()) {
                throw new IllegalArgumentException(
                        "--types \"" + text + "\": expected COLUMN TYPE, got \"" + entry + "\"");
            }
            types.put(CqlIdentifier.fromCql(m.group(1)).asInternal(), m.group(2));
        }
        return types;
    }

    private static List<String> splitTopLevel(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            quoted ^= c == '"';
            depth += quoted ? 0 : c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c == ',' && depth == 0 && !quoted) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        if (!text.isBlank()) {
            parts.add(text.substring(start));
        }
        return parts;
    }

    /** Says what it ran. */
    void createIfMissing(LoadOptions options, PrintWriter err) {
        Metadata metadata = overdrive.session().getMetadata();
        if (metadata.getKeyspace(keyspace).flatMap(k -> k.getTable(table)).isPresent()) {
            return;
        }
        String cql = createTable(sample(options));
        if (options.dryRun()) {
            err.println(cql + ";");
            throw new InputException("there is no table " + keyspace.asCql(true) + "." + table.asCql(true)
                    + " yet, and a dry run does not create it: run the statement above first, or leave out --dry-run");
        }
        if (metadata.getKeyspace(keyspace).isEmpty()) {
            run(createKeyspace(metadata), err);
        }
        run(cql, err);
    }

    /** Looks at the beginning of the input; what is read of standard input for that is put back. */
    private Map<String, String> sample(LoadOptions options) {
        if (options.files().stream().noneMatch(InputFile::isStandardInput)) {
            return SchemaGuess.types(options, types);
        }
        InputStream stdin = System.in;
        try {
            byte[] sample = stdin.readNBytes(STDIN_SAMPLE_BYTES);
            int end = sample.length;
            while (sample.length == STDIN_SAMPLE_BYTES && end > 0 && sample[end - 1] != '\n') {
                end--; // the last record may be cut
            }
            System.setIn(new ByteArrayInputStream(sample, 0, end));
            Map<String, String> found = SchemaGuess.types(options, types);
            System.setIn(new SequenceInputStream(new ByteArrayInputStream(sample), stdin));
            return found;
        } catch (IOException e) {
            throw new InputException("standard input cannot be read: " + e.getMessage(), e);
        }
    }

    private String createKeyspace(Metadata metadata) {
        List<Node> local = metadata.getNodes().values().stream()
                .filter(n -> n.getDistance() == NodeDistance.LOCAL)
                .toList();
        String datacenter =
                local.isEmpty() ? "datacenter1" : String.valueOf(local.get(0).getDatacenter());
        return "CREATE KEYSPACE " + keyspace.asCql(true) + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter.replace("'", "''") + "': " + Math.max(1, Math.min(USUAL_REPLICAS, local.size())) + "}";
    }

    private String createTable(Map<String, String> guessed) {
        StringBuilder cql = new StringBuilder("CREATE TABLE ");
        cql.append(keyspace.asCql(true)).append('.').append(table.asCql(true)).append(" (");
        Map<String, String> columns = new LinkedHashMap<>();
        guessed.forEach((name, type) -> columns.put(columnName(name), type));
        types.forEach(columns::putIfAbsent);
        columns.forEach((name, type) -> cql.append("\n    ")
                .append(CqlIdentifier.fromInternal(name).asCql(true))
                .append(' ')
                .append(type)
                .append(','));
        return cql.append("\n    PRIMARY KEY (").append(key).append("))").toString();
    }

    /** A field's name as a column: as --types has it; as CQL reads it where it is a plain word; else as it stands. */
    private String columnName(String field) {
        String trimmed = field.strip();
        boolean plain = trimmed.matches("[a-zA-Z][a-zA-Z0-9_]*") && !types.containsKey(trimmed);
        return plain ? trimmed.toLowerCase(Locale.ROOT) : trimmed;
    }

    private void run(String cql, PrintWriter err) {
        err.println(cql + ";");
        try {
            overdrive.changeSchema(cql);
        } catch (QueryValidationException e) {
            throw new InputException(
                    "the server refuses this statement: " + e.getMessage() + "; check --key \"" + key
                            + "\" and --types, or create it yourself",
                    e);
        }
    }
}
