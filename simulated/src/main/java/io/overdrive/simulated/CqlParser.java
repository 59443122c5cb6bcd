package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import com.datastax.oss.protocol.internal.response.result.SetKeyspace;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.simulated.Statement.Command;
import io.overdrive.simulated.Statement.Condition;
import io.overdrive.simulated.Statement.Select;
import io.overdrive.simulated.Statement.Selector;
import io.overdrive.simulated.Statement.Term;
import io.overdrive.simulated.Statement.Write;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Understands statements of one table: those that the driver and Overdrive send, and refuses others. Confined to one thread. */
final class CqlParser {
    private static final List<String> COMPARISONS = List.of("=", "<", "<=", ">", ">=");
    private static final RawType BIGINT = CqlTypes.simple("bigint");
    private static final RawType INT = CqlTypes.simple("int");
    private static final RawType TEXT = CqlTypes.simple("text");
    private static final RawType TIMEUUID = CqlTypes.simple("timeuuid");

    /** An expression of a SELECT before its table is known. */
    private record Expression(@Nullable String function, String argument, @Nullable String alias) {}

    /** A table's name. */
    record Name(@Nullable String keyspace, String table) {}

    private final CqlTokens tokens;
    private final Schema schema;
    private final @Nullable String keyspace;
    private final List<ColumnSpec> markers = new ArrayList<>();

    private CqlParser(String cql, Schema schema, @Nullable String keyspace) {
        tokens = new CqlTokens(cql);
        this.schema = schema;
        this.keyspace = keyspace;
    }

    /** @param keyspace of tables that are named without one */
    static Statement parse(String cql, Schema schema, @Nullable String keyspace) {
        CqlParser parser = new CqlParser(cql, schema, keyspace);
        Statement statement = parser.statement();
        parser.tokens.expectEnd();
        return statement;
    }

    private Statement statement() {
        if (tokens.take("select")) {
            return select();
        }
        if (tokens.take("insert", "into")) {
            return insert();
        }
        if (tokens.take("update")) {
            return update();
        }
        if (tokens.take("delete")) {
            return delete();
        }
        if (tokens.take("use")) {
            return use(tokens.name());
        }
        if (tokens.take("truncate")) {
            tokens.take("table");
            table();
            return new Command(all -> Void.INSTANCE); // there is no row to remove
        }
        if (tokens.take("describe", "table")) {
            return describe(table());
        }
        return new SchemaParser(tokens, keyspace).statement();
    }

    private Statement use(String name) {
        return new Command(all -> {
            if (!all.hasKeyspace(name)) {
                throw Refusal.invalid("Keyspace '" + name + "' does not exist");
            }
            return new SetKeyspace(name);
        });
    }

    private static Statement describe(Table table) {
        List<ColumnSpec> columns = new ArrayList<>();
        for (String column : List.of("keyspace_name", "type", "name", "create_statement")) {
            columns.add(table.spec(column, TEXT, columns.size()));
        }
        RowsMetadata metadata =
                new RowsMetadata(columns, /* pagingState */ null, new int[0], /* newResultMetadataId */ null);
        List<ByteBuffer> row = Stream.of(table.keyspace(), "table", table.name(), table.create())
                .map(Cells::text)
                .toList();
        return new Command(all -> new DefaultRows(metadata, new ArrayDeque<>(List.of(row))));
    }

    private Table table() {
        Name name = name(tokens, keyspace);
        return schema.table(name.keyspace, name.table);
    }

    static Name name(CqlTokens tokens, @Nullable String keyspace) {
        String first = tokens.name();
        return tokens.take(".") ? new Name(first, tokens.name()) : new Name(keyspace, first);
    }

    private Select select() {
        tokens.take("distinct");
        List<Expression> expressions = new ArrayList<>();
        do {
            expressions.add(expression());
        } while (tokens.take(","));
        tokens.expect("from");
        Table table = table();
        List<Condition> where = tokens.take("where") ? conditions(table) : List.of();
        boolean isGrouped = tokens.take("group", "by");
        if (isGrouped && !names().equals(table.partitionKey())) {
            throw Refusal.notSimulated("GROUP BY of anything but the partition key");
        }
        Term limit = tokens.take("limit") ? term(table, "[limit]", INT) : null;
        tokens.take("allow", "filtering");
        List<Selector> selectors = new ArrayList<>();
        List<ColumnSpec> result = new ArrayList<>();
        expressions.forEach(expression -> select(table, expression, selectors, result));
        return new Select(table, selectors, where, isGrouped, limit, markers, keyMarkers(table), result);
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        do {
            names.add(tokens.name());
        } while (tokens.take(","));
        return names;
    }

    private Expression expression() {
        if (tokens.take("*")) {
            return new Expression(null, "*", null);
        }
        String name = tokens.name();
        while (tokens.take(".")) {
            name = tokens.name(); // of a function of the keyspace system
        }
        String function = null;
        if (tokens.take("(")) {
            function = name;
            name = tokens.take("*") ? "*" : tokens.isNext(")") ? "" : tokens.literal();
            tokens.skipTo(")");
            tokens.expect(")");
        }
        return new Expression(function, name, tokens.take("as") ? tokens.name() : null);
    }

    private static void select(Table table, Expression expression, List<Selector> selectors, List<ColumnSpec> result) {
        if (expression.function == null && expression.argument.equals("*")) {
            for (Column column : table.columns().values()) {
                selectors.add(new Selector(Selector.Kind.COLUMN, column));
                result.add(table.spec(column.name(), column.raw(), result.size()));
            }
            return;
        }
        Selector selector = selector(table, expression);
        Column column = selector.column();
        selectors.add(selector);
        String name =
                switch (selector.kind()) {
                    case COLUMN -> expression.argument;
                    case COUNT -> "count";
                    case NOW -> "system.now()";
                    case TOKEN -> "system.token(" + String.join(", ", table.partitionKey()) + ")";
                    case WRITE_TIME, TTL -> expression.function + "(" + expression.argument + ")";
                };
        RawType type =
                switch (selector.kind()) {
                    case COLUMN -> column == null ? BIGINT : column.raw();
                    case COUNT, TOKEN, WRITE_TIME -> BIGINT;
                    case TTL -> INT;
                    case NOW -> TIMEUUID;
                };
        result.add(table.spec(expression.alias == null ? name : expression.alias, type, result.size()));
    }

    private static Selector selector(Table table, Expression expression) {
        if (expression.function == null) {
            return new Selector(Selector.Kind.COLUMN, table.column(expression.argument));
        }
        return switch (expression.function) {
            case "count" -> new Selector(Selector.Kind.COUNT, null);
            case "now" -> new Selector(Selector.Kind.NOW, null);
            case "token" -> new Selector(Selector.Kind.TOKEN, null);
            case "writetime" -> new Selector(Selector.Kind.WRITE_TIME, table.column(expression.argument));
            case "ttl" -> new Selector(Selector.Kind.TTL, table.column(expression.argument));
            default -> throw Refusal.notSimulated("function " + expression.function);
        };
    }

    private List<Condition> conditions(Table table) {
        List<Condition> conditions = new ArrayList<>();
        do {
            conditions.add(condition(table));
        } while (tokens.take("and"));
        return conditions;
    }

    private Condition condition(Table table) {
        if (tokens.take("token", "(")) {
            tokens.skipTo(")");
            tokens.expect(")");
            return new Condition(/* column */ null, comparison(), List.of(term(table, "partition key token", BIGINT)));
        }
        Column column = table.column(tokens.name());
        List<Term> values = new ArrayList<>();
        if (!tokens.take("in")) {
            String comparison = comparison();
            return new Condition(column.name(), comparison, List.of(term(table, column.name(), column.raw())));
        }
        tokens.expect("(");
        do {
            values.add(term(table, column.name(), column.raw()));
        } while (tokens.take(","));
        tokens.expect(")");
        return new Condition(column.name(), "in", values);
    }

    private String comparison() {
        String sign = tokens.sign();
        if (!COMPARISONS.contains(sign)) {
            throw tokens.syntax(sign);
        }
        return sign;
    }

    private Term term(Table table, String name, RawType type) {
        return marker(table, name, type)
                ? new Term(markers.size() - 1, null)
                : new Term(-1, Cells.literal(type, tokens.literal()));
    }

    /** Takes a marker if one is next. */
    private boolean marker(Table table, String name, RawType type) {
        boolean isNamed = tokens.take(":");
        if (!isNamed && !tokens.take("?")) {
            return false;
        }
        markers.add(table.spec(isNamed ? tokens.name() : name, type, markers.size()));
        return true;
    }

    private Write insert() {
        Table table = table();
        tokens.expect("(");
        List<String> names = names();
        tokens.expect(")", "values", "(");
        for (int i = 0; i < names.size(); i++) {
            if (i > 0) {
                tokens.expect(",");
            }
            value(table, table.column(names.get(i)), ",", ")");
        }
        tokens.expect(")");
        boolean isConditional = tokens.take("if", "not", "exists");
        using(table);
        return write(table, isConditional);
    }

    /** A value that is written: a marker, or anything up to one of these ends. */
    private void value(Table table, Column column, String... ends) {
        if (!marker(table, column.name(), column.raw())) {
            tokens.skipTo(ends);
        }
    }

    private void using(Table table) {
        if (!tokens.take("using")) {
            return;
        }
        do {
            if (tokens.take("ttl")) {
                term(table, "[ttl]", INT);
            } else {
                tokens.expect("timestamp");
                term(table, "[timestamp]", BIGINT);
            }
        } while (tokens.take("and"));
    }

    private Write update() {
        Table table = table();
        using(table);
        tokens.expect("set");
        do {
            assignment(table);
        } while (tokens.take(","));
        tokens.expect("where");
        conditions(table);
        return write(table, ifExists());
    }

    /** {@code a = ?}, {@code a[?] = ?}, {@code a = a + ?} or {@code a = ? + a}. */
    private void assignment(Table table) {
        Column column = table.column(tokens.name());
        if (tokens.isNext("[")) {
            throw Refusal.notSimulated("assignment to an element of a collection");
        }
        tokens.expect("=");
        if (tokens.takeName(column.name())) {
            tokens.sign();
            value(table, column, ",", "where");
            return;
        }
        value(table, column, ",", "where");
        if (tokens.take("+")) {
            tokens.name();
        }
    }

    private Write delete() {
        tokens.skipTo("from");
        tokens.expect("from");
        Table table = table();
        using(table);
        tokens.expect("where");
        conditions(table);
        return write(table, ifExists());
    }

    /** Takes a condition on the row that is written, which is true whatever it is. */
    private boolean ifExists() {
        boolean isConditional = tokens.take("if");
        if (isConditional) {
            if (!tokens.take("exists")) {
                throw Refusal.notSimulated("condition of a write but IF EXISTS and IF NOT EXISTS");
            }
        }
        return isConditional;
    }

    private Write write(Table table, boolean isConditional) {
        if (table.systemRows() != null) {
            throw Refusal.invalid("Cannot modify a table of a system keyspace");
        }
        return new Write(markers, keyMarkers(table), isConditional);
    }

    private int[] keyMarkers(Table table) {
        List<String> names = markers.stream().map(spec -> spec.name).toList();
        int[] places = table.partitionKey().stream().mapToInt(names::indexOf).toArray();
        return IntStream.of(places).anyMatch(place -> place < 0) ? new int[0] : places;
    }
}
