package io.overdrive.simulated;

import io.overdrive.simulated.Column.Kind;
import io.overdrive.simulated.CqlParser.Name;
import io.overdrive.simulated.Statement.Command;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Understands statements that create and drop keyspaces and tables. Confined to one thread. */
final class SchemaParser {
    /** A table that is created has no rows, and keeps none. */
    private static final TokenRows NO_ROWS = new TokenRows(0);

    private record Definition(String name, CqlTokens.Type type, boolean isStatic) {}

    private final CqlTokens tokens;
    private final @Nullable String keyspace;
    private final List<String> partitionKey = new ArrayList<>();
    private final List<String> clustering = new ArrayList<>();
    private final Set<String> descending = new HashSet<>();

    SchemaParser(CqlTokens tokens, @Nullable String keyspace) {
        this.tokens = tokens;
        this.keyspace = keyspace;
    }

    Command statement() {
        if (tokens.take("create", "keyspace")) {
            return createKeyspace();
        }
        if (tokens.take("create", "table")) {
            return createTable();
        }
        if (tokens.take("drop", "keyspace")) {
            boolean ifExists = tokens.take("if", "exists");
            String name = tokens.name();
            return new Command(schema -> schema.dropKeyspace(name, ifExists));
        }
        if (tokens.take("drop", "table")) {
            boolean ifExists = tokens.take("if", "exists");
            Name name = CqlParser.name(tokens, keyspace);
            return new Command(schema -> schema.dropTable(keyspaceOf(name), name.table(), ifExists));
        }
        throw tokens.syntax(tokens.literal());
    }

    private static String keyspaceOf(Name name) {
        String of = name.keyspace();
        if (of == null) {
            throw Refusal.invalid(
                    "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
        }
        return of;
    }

    private Command createKeyspace() {
        boolean ifNotExists = tokens.take("if", "not", "exists");
        String name = tokens.name();
        tokens.expect("with", "replication", "=", "{");
        Map<String, String> replication = new LinkedHashMap<>();
        do {
            String key = tokens.literal();
            tokens.expect(":");
            replication.put(key, tokens.literal());
        } while (tokens.take(","));
        tokens.expect("}");
        tokens.skipTo(); // durable_writes, which would keep nothing either
        replication.computeIfPresent(
                "class", (key, value) -> value.contains(".") ? value : "org.apache.cassandra.locator." + value);
        return new Command(schema -> schema.createKeyspace(name, replication, ifNotExists));
    }

    private Command createTable() {
        boolean ifNotExists = tokens.take("if", "not", "exists");
        Name name = CqlParser.name(tokens, keyspace);
        tokens.expect("(");
        List<Definition> definitions = new ArrayList<>();
        do {
            if (tokens.take("primary", "key", "(")) {
                primaryKey();
            } else {
                definitions.add(definition());
            }
        } while (tokens.take(","));
        tokens.expect(")");
        if (tokens.take("with")) {
            do {
                option();
            } while (tokens.take("and"));
        }
        List<Column> columns = columns(definitions);
        return new Command(schema -> schema.createTable(keyspaceOf(name), name.table(), columns, NO_ROWS, ifNotExists));
    }

    private Definition definition() {
        Definition definition = new Definition(tokens.name(), tokens.type(), tokens.take("static"));
        if (tokens.take("primary", "key")) {
            partitionKey.add(definition.name);
        }
        return definition;
    }

    private void primaryKey() {
        if (tokens.take("(")) {
            do {
                partitionKey.add(tokens.name());
            } while (tokens.take(","));
            tokens.expect(")");
        } else {
            partitionKey.add(tokens.name());
        }
        while (tokens.take(",")) {
            clustering.add(tokens.name());
        }
        tokens.expect(")");
    }

    private void option() {
        if (!tokens.take("clustering", "order", "by", "(")) {
            tokens.skipTo("and");
            return;
        }
        do {
            String column = tokens.name();
            if (tokens.take("desc")) {
                descending.add(column);
            } else {
                tokens.take("asc");
            }
        } while (tokens.take(","));
        tokens.expect(")");
    }

    private List<Column> columns(List<Definition> definitions) {
        if (partitionKey.isEmpty()) {
            throw Refusal.invalid("No PRIMARY KEY specifed (exactly one required)");
        }
        return definitions.stream()
                .map(this::column)
                .sorted(Comparator.comparing(Column::kind)
                        .thenComparing(Column::position)
                        .thenComparing(Column::name))
                .toList();
    }

    private Column column(Definition definition) {
        String name = definition.name;
        Kind kind = partitionKey.contains(name)
                ? Kind.PARTITION_KEY
                : clustering.contains(name) ? Kind.CLUSTERING : definition.isStatic ? Kind.STATIC : Kind.REGULAR;
        int position = Math.max(partitionKey.indexOf(name), clustering.indexOf(name));
        return new Column(
                name, definition.type.text(), definition.type.raw(), kind, position, descending.contains(name));
    }
}
