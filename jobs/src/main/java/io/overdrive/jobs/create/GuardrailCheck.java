package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.cql.SystemTables;
import io.overdrive.internal.cql.TableDescription;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.write.ServerSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the guardrails of a cluster refuse, or warn of, before it is created or written. The counts of a schema are exact; of rows, only
 * the largest partition is known before they are read. Confined to one thread.
 */
public final class GuardrailCheck {
    private static final String COLUMNS = "columns_per_table";
    private static final String TABLES = "tables";
    private static final String FIELDS = "fields_per_udt";
    private static final String INDEXES = "secondary_indexes_per_table";
    private static final String VIEWS = "materialized_views_per_table";
    private static final String DIMENSIONS = "vector_dimensions";
    private static final String PROPERTIES = "table_properties";
    private static final String PARTITION = "partition_size";
    private static final String MUTATION = "max_mutation_size";

    /** Guardrails that look at each row, with the words after a number or a size. */
    private static final Map<String, String> OF_ROWS = new LinkedHashMap<>();

    static {
        OF_ROWS.put("column_value_size", "values of more than %s");
        OF_ROWS.put("collection_size", "collections of more than %s");
        OF_ROWS.put("items_per_collection", "collections of more than %s elements");
    }

    private static final String LARGEST =
            "SELECT table_name, mebibytes FROM system_views.max_partition_size WHERE keyspace_name = ?";

    private static final long MEBIBYTE = 1 << 20;
    private static final int MAX_NAMED = 5;
    private static final Pattern WORD = Pattern.compile("\"(?:[^\"]|\"\")+\"|\\w+");
    private static final Pattern VECTOR = Pattern.compile("(?i)\\bvector\\s*<.*,\\s*(\\d{1,9})\\s*>");
    private static final Pattern KEY = Pattern.compile("(?i)PRIMARY\\s+KEY\\s*\\(.*", Pattern.DOTALL);
    private static final Pattern UNCOMPRESSED = Pattern.compile("(?i)'enabled'\\s*:\\s*'?false");

    private final Guardrails limits;
    private final Map<CqlIdentifier, OverdriveException> refused = new LinkedHashMap<>();
    /** Parts of the schema that are warned of, by the sentence about them. */
    private final Map<String, List<String>> warnings = new LinkedHashMap<>();

    GuardrailCheck(Guardrails limits) {
        this.limits = limits;
    }

    /** The tables that would be refused, and why. */
    Map<CqlIdentifier, OverdriveException> refused() {
        return refused;
    }

    /** Warnings, a sentence for each guardrail. */
    List<String> warnings() {
        return warnings.entrySet().stream()
                .map(each -> each.getKey() + ": " + named(each.getValue()))
                .toList();
    }

    private static String named(List<String> names) {
        return names.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
                + (names.size() > MAX_NAMED ? " and " + (names.size() - MAX_NAMED) + " more" : "");
    }

    private void warn(String sentence, String part) {
        warnings.computeIfAbsent(sentence, key -> new ArrayList<>()).add(part);
    }

    private void refuse(CqlIdentifier table, String guardrail, String why) {
        refused.putIfAbsent(
                table,
                new OverdriveException(
                        Kind.INPUT,
                        words -> "the target's guardrail " + guardrail + " refuses the table: " + why
                                + ". Change it there, connect to the target as a superuser, to whom guardrails do not"
                                + " apply, or leave the table out with "
                                + words.of(JobOption.EXCEPT)));
    }

    /**
     * Judges the tables that are to be created, with their types, indexes and views.
     *
     * @param tables in the order in which they are created
     * @param existing what the target has of the schema, as its elements describe themselves
     * @param tablesThere counts the tables of the target's cluster
     */
    void schema(KeyspaceSchema schema, List<CqlIdentifier> tables, Set<String> existing, LongSupplier tablesThere) {
        Map<String, String> types = refusedTypes(schema, existing);
        List<SchemaElement> missing = schema.elements().stream()
                .filter(each -> each.type().equals(SchemaElement.TABLE)
                        && tables.contains(each.identifier())
                        && !existing.contains(each.described()))
                .toList();
        missing.forEach(each -> table(each, types));
        number(missing, tables, tablesThere);
        Set<CqlIdentifier> wanted = new HashSet<>(tables);
        wanted.removeAll(refused.keySet());
        dependents(schema, wanted, existing);
    }

    private void number(List<SchemaElement> missing, List<CqlIdentifier> tables, LongSupplier tablesThere) {
        OptionalLong fail = limits.number(Guardrails.failing(TABLES));
        OptionalLong warn = limits.number(Guardrails.warning(TABLES));
        if (missing.isEmpty() || fail.isEmpty() && warn.isEmpty()) {
            return;
        }
        long there = tablesThere.getAsLong();
        Set<CqlIdentifier> names =
                missing.stream().map(SchemaElement::identifier).collect(Collectors.toSet());
        for (CqlIdentifier each : tables) {
            if (names.contains(each) && !refused.containsKey(each)) {
                there++;
                if (fail.isPresent() && there > fail.getAsLong()) {
                    refuse(
                            each,
                            TABLES,
                            "the cluster would have " + there + " tables, at most "
                                    + allowed(Guardrails.failing(TABLES)));
                    there--;
                } else if (warn.isPresent() && there > warn.getAsLong()) {
                    warn(
                            "the target warns of more tables in the cluster than "
                                    + allowed(Guardrails.warning(TABLES)),
                            each.asCql(true));
                }
            }
        }
    }

    private String allowed(String setting) {
        return limits.limit(setting) + " (" + setting + ")";
    }

    private void table(SchemaElement table, Map<String, String> types) {
        CqlIdentifier name = table.identifier();
        List<String> columns = columns(table);
        String failing = Guardrails.failing(COLUMNS);
        if (isAbove(failing, columns.size())) {
            refuse(name, COLUMNS, "it has " + columns.size() + " columns, at most " + allowed(failing));
        } else if (isAbove(Guardrails.warning(COLUMNS), columns.size())) {
            warn(
                    "the target warns of more columns of a table than " + allowed(Guardrails.warning(COLUMNS)),
                    table.name() + " has " + columns.size());
        }
        for (String column : columns) {
            typesIn(column).stream()
                    .filter(types::containsKey)
                    .findFirst()
                    .ifPresent(type -> refuse(name, FIELDS, "type " + type + " " + types.get(type)));
            vector(name, column);
        }
        Map<String, String> options = TableDescription.of(table.cql()).options();
        options(name, TableOptions.of(options, options.keySet()).taken());
    }

    private boolean isAbove(String setting, long count) {
        OptionalLong limit = limits.number(setting);
        return limit.isPresent() && count > limit.getAsLong();
    }

    private static List<String> columns(SchemaElement element) {
        return TableDescription.columns(element.cql()).stream()
                .filter(each -> !KEY.matcher(each).matches())
                .toList();
    }

    /** The words of a column's type; the first word is the column's name. */
    private static List<String> typesIn(String column) {
        return WORD.matcher(column).results().skip(1).map(word -> word.group()).toList();
    }

    private void vector(CqlIdentifier table, String column) {
        Matcher vector = VECTOR.matcher(column);
        if (vector.find()) {
            String failing = Guardrails.failing(DIMENSIONS);
            if (limits.disables("vector_type_enabled")) {
                refuse(table, "vector_type_enabled", "vectors are switched off (" + column + ")");
            } else if (isAbove(failing, Long.parseLong(vector.group(1)))) {
                refuse(
                        table,
                        DIMENSIONS,
                        "a vector has " + vector.group(1) + " dimensions, at most " + allowed(failing));
            }
        }
    }

    private void options(CqlIdentifier table, Map<String, String> options) {
        List<String> disallowed = options.keySet().stream()
                .filter(option -> limits.disallows(PROPERTIES, option))
                .toList();
        if (!disallowed.isEmpty()) {
            refuse(
                    table,
                    PROPERTIES,
                    "options that are not allowed (table_properties_disallowed): " + String.join(", ", disallowed)
                            + "; a table that you create without them is taken as it is");
        }
        if (limits.disables("uncompressed_tables_enabled")
                && UNCOMPRESSED.matcher(options.getOrDefault("compression", "")).find()) {
            refuse(table, "uncompressed_tables_enabled", "it is not compressed");
        }
        if (limits.disables("zero_ttl_on_twcs_enabled")
                && options.getOrDefault("compaction", "").contains("TimeWindowCompactionStrategy")
                && options.getOrDefault("default_time_to_live", "0").equals("0")) {
            refuse(
                    table,
                    "zero_ttl_on_twcs",
                    "it is compacted by time windows, and has no default_time_to_live (zero_ttl_on_twcs_enabled)");
        }
    }

    /** The names of types that cannot be created, and why: they have too many fields, or fields of such a type. */
    private Map<String, String> refusedTypes(KeyspaceSchema schema, Set<String> existing) {
        Map<String, String> types = new HashMap<>();
        String failing = Guardrails.failing(FIELDS);
        for (SchemaElement each : schema.elements()) { // in order of dependence
            if (each.type().equals(SchemaElement.TYPE) && !existing.contains(each.described())) {
                List<String> fields = columns(each);
                if (isAbove(failing, fields.size())) {
                    types.put(each.name(), "has " + fields.size() + " fields, at most " + allowed(failing));
                } else {
                    fields.stream()
                            .flatMap(field -> typesIn(field).stream())
                            .filter(types::containsKey)
                            .findFirst()
                            .ifPresent(type -> types.put(
                                    each.name(), "has a field of type " + type + ", which " + types.get(type)));
                }
            }
        }
        return types;
    }

    /** Indexes and views are created when the rows are there: that they cannot be is no reason to leave out the rows. */
    private void dependents(KeyspaceSchema schema, Set<CqlIdentifier> tables, Set<String> existing) {
        Map<String, Integer> counts = new HashMap<>();
        for (SchemaElement each : schema.elements()) {
            if (each.isDependent() && tables.contains(each.base())) {
                boolean isIndex = each.type().equals(SchemaElement.INDEX);
                String failing = Guardrails.failing(isIndex ? INDEXES : VIEWS);
                int count = counts.merge(each.type() + each.base(), 1, Integer::sum);
                String disabled = isIndex ? "secondary_indexes_enabled" : "materialized_views_enabled";
                boolean isOff = isIndex
                        ? limits.disables(disabled)
                        : limits.settings().getOrDefault(disabled, "").equals("false");
                if (!existing.contains(each.described()) && (isOff || isAbove(failing, count))) {
                    warn(
                            "the target will not create these when the rows are there, as "
                                    + (isOff ? disabled + " is false" : "a table may have " + allowed(failing)),
                            each.described());
                }
            }
        }
    }

    /** Counts the tables of a cluster without those of the server. */
    static long tables(Overdrive overdrive) {
        long tables = 0;
        for (Row row : overdrive.session().execute(OwnQuery.of("SELECT keyspace_name FROM system_schema.tables"))) {
            tables += SystemTables.isSystem(String.valueOf(row.getString(0))) ? 0 : 1;
        }
        return tables;
    }

    /**
     * Rows that are to be written over CQL.
     *
     * @param keepsTimes whether they come with their write times
     * @param source null if there is none, and its largest partitions are not known
     * @param keyspace of the source
     * @param tables of the source
     * @param largestOfFiles gives the bytes of the largest partitions in SSTables, by table, if rows are read from these in place of the source
     */
    public record Rows(
            WriteOptions options,
            boolean keepsTimes,
            @Nullable Overdrive source,
            CqlIdentifier keyspace,
            Collection<CqlIdentifier> tables,
            @Nullable Supplier<Map<String, Long>> largestOfFiles) {
        private static final String OF_NODE = "system_views.max_partition_size of one node of the source";
        private static final String OF_FILES =
                "Statistics.db of the SSTables; what several of them have of a partition counts by itself";

        private List<String> partitions(GuardrailCheck check) {
            return largestOfFiles == null
                    ? check.partitions(() -> largest(this), OF_NODE)
                    : check.partitions(largestOfFiles, OF_FILES);
        }
    }

    /**
     * Judges rows that are to be written over CQL.
     *
     * @return what may be refused or warned of, in sentences
     * @throws OverdriveException of kind INPUT if each row would be refused
     */
    public static List<String> of(Overdrive target, Rows rows) {
        GuardrailCheck check = new GuardrailCheck(Guardrails.of(target));
        check.refuseAll(rows.options);
        List<String> said = new ArrayList<>(check.rows(rows.keepsTimes));
        said.addAll(rows.partitions(check));
        if (rows.source != null && !rows.source.isSameCluster(target)) {
            said.addAll(check.mutations(Guardrails.of(rows.source)));
        }
        return said;
    }

    /** Whether the user may not read the guardrails of a cluster. */
    public static boolean isHidden(Overdrive target) {
        return Guardrails.of(target).isHidden();
    }

    void refuseAll(WriteOptions options) {
        if (limits.disables("user_timestamps_enabled")) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "the target's guardrail user_timestamps refuses each row, as rows are written with their times"
                            + " (USING TIMESTAMP): set user_timestamps_enabled there, or connect to it as a superuser,"
                            + " to whom guardrails do not apply");
        }
        String level = options.consistency().name();
        if (limits.disallows("write_consistency_levels", level)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "the target's guardrail write_consistency_levels does not allow " + level
                            + " (write_consistency_levels_disallowed): choose another level with "
                            + words.of(WriteSetting.CONSISTENCY));
        }
    }

    List<String> rows(boolean keepsTimes) {
        List<String> said = new ArrayList<>();
        String refused = limited(Guardrails::failing);
        if (!refused.isEmpty()) {
            said.add("the target refuses " + refused
                    + ": such rows are rejected, with the reason. How many there are is not"
                    + " known before they are read");
        }
        String warned = limited(Guardrails::warning);
        if (!warned.isEmpty()) {
            said.add("the target logs a warning for " + warned);
        }
        String oldest = Guardrails.failing("minimum_timestamp");
        if (keepsTimes && !limits.limit(oldest).isEmpty()) {
            said.add("the target refuses values that were written more than " + allowed(oldest)
                    + " ago, and their times are kept: such rows are rejected");
        }
        String newest = Guardrails.failing("maximum_timestamp");
        if (keepsTimes && !limits.limit(newest).isEmpty()) {
            said.add("the target refuses values whose write time is more than " + allowed(newest)
                    + " in the future, and their times are kept: such rows are rejected");
        }
        return said;
    }

    private String limited(Function<String, String> setting) {
        return OF_ROWS.entrySet().stream()
                .filter(each -> !limits.limit(setting.apply(each.getKey())).isEmpty())
                .map(each -> each.getValue().formatted(allowed(setting.apply(each.getKey()))))
                .collect(Collectors.joining(", "));
    }

    /**
     * @param largest gives the bytes of the largest partition of tables, by name
     * @param origin where they are from
     */
    List<String> partitions(Supplier<Map<String, Long>> largest, String origin) {
        for (String setting : List.of(Guardrails.warning(PARTITION), Guardrails.failing(PARTITION))) {
            OptionalLong limit = limits.bytes(setting);
            if (limit.isPresent()) {
                Map<String, Long> known = largest.get();
                List<String> large = known.entrySet().stream()
                        .filter(each -> each.getValue() > limit.getAsLong())
                        .map(each -> each.getKey() + " about " + (each.getValue() + MEBIBYTE / 2) / MEBIBYTE + " MiB")
                        .toList();
                String begin = "the target logs partitions of more than " + allowed(setting) + ", and refuses none: ";
                return known.isEmpty()
                        ? List.of(begin + "the largest ones of the source are not known")
                        : large.isEmpty() ? List.of() : List.of(begin + named(large) + " (" + origin + ")");
            }
        }
        return List.of();
    }

    List<String> mutations(Guardrails source) {
        String here = limits.settings().getOrDefault(MUTATION, "");
        String there = source.settings().getOrDefault(MUTATION, "");
        OptionalLong max = ServerSettings.bytesOf(here);
        OptionalLong from = ServerSettings.bytesOf(there);
        return max.isPresent() && from.isPresent() && max.getAsLong() < from.getAsLong()
                ? List.of("the target takes rows of at most " + here + " (" + MUTATION + "), the source of " + there
                        + ": larger ones are rejected. Whether there are any is not known before they are read")
                : List.of();
    }

    private static Map<String, Long> largest(Rows rows) {
        Map<String, Long> largest = new LinkedHashMap<>();
        if (rows.source != null) {
            try {
                for (Row row : rows.source.session().execute(OwnQuery.of(LARGEST, rows.keyspace.asInternal()))) {
                    CqlIdentifier name = CqlIdentifier.fromInternal(String.valueOf(row.getString(0)));
                    if (rows.tables.contains(name)) {
                        largest.put(name.asCql(true), row.getLong(1) * MEBIBYTE);
                    }
                }
            } catch (DriverException e) {
                return Map.of(); // not reported, or not to this user
            }
        }
        return largest;
    }
}
