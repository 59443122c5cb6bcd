package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Grouping;
import io.overdrive.GuardLimit;
import io.overdrive.InFlightControl;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.watch.Terminal;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.internal.scan.TokenRanges;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.WrittenAfter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Prints the plan of a run before its first row: the nodes that it reaches and the consistency, how rows are read or
 * sent, and the limits. Immutable.
 */
public final class PlanPrinter {
    private static final int MAX_NAMES = 4;

    /**
     * One table or statement.
     *
     * @param label of its line, and its name in JSON
     * @param table as the user named it, or several
     * @param isFiles whether rows are read from another source or written to files, so that no consistency level has an effect
     * @param how rows are read or sent; empty if that is not known
     * @param limits null if there is no line for them
     * @param facts the same for programs
     */
    private record Part(
            String label,
            String table,
            Reach reach,
            boolean writes,
            boolean isFiles,
            String how,
            @Nullable String limits,
            Map<String, Object> facts) {
        Part(
                String label,
                Reach reach,
                boolean writes,
                boolean isFiles,
                String how,
                @Nullable String limits,
                Map<String, Object> facts) {
            this(label, reach.table(), reach, writes, isFiles, how, limits, facts);
        }
    }

    private final @Nullable GuardLimit guard;
    private final List<Part> parts;
    private final @Nullable WrittenAfter after;

    /** @param guard null if there is none */
    public PlanPrinter(Plan plan, @Nullable GuardLimit guard) {
        this.guard = guard;
        this.after = plan.after();
        // rows that are sent in the meantime limit how fast others are read
        boolean sends = plan.parts().stream().anyMatch(part -> part instanceof Plan.Writes);
        this.parts = plan.parts().stream().map(part -> part(part, sends)).toList();
    }

    /** The table of a part, or several as the user named them. */
    static String tables(Plan.Part part) {
        return part(part, /* sends */ false).table;
    }

    private static Part part(Plan.Part part, boolean sends) {
        if (part instanceof Plan.Reads reads) {
            return part(reads, sends);
        } else if (part instanceof Plan.ReadsSource source) {
            return part(source);
        } else if (part instanceof Plan.Writes writes) {
            return part(writes);
        } else if (part instanceof Plan.ReadsTables tables) {
            return part(tables);
        } else if (part instanceof Plan.WritesTables tables) {
            return part(tables);
        } else if (part instanceof Plan.WritesSstables sstables) {
            String how = "SSTables for " + Amount.count(sstables.nodes(), "node")
                    + ", to which guardrails are not applied"
                    + (sstables.passes() == 1
                            ? ""
                            : "; written and imported in " + Amount.count(sstables.passes()) + " passes");
            return new Part(
                    part.label(),
                    part.reach(),
                    /* writes */ true,
                    /* isFiles */ true,
                    how,
                    /* limits */ null,
                    Map.of("sstables", true, "passes", sstables.passes()));
        }
        return new Part(
                part.label(),
                part.reach(),
                /* writes */ true,
                /* isFiles */ false,
                /* how */ "",
                /* limits */ null,
                Map.of());
    }

    private static Part part(Plan.ReadsTables part) {
        RowSource.Content from = part.from();
        if (from != null) {
            return new Part(
                    part.label(),
                    part.selection(),
                    part.reach(),
                    /* writes */ false,
                    /* isFiles */ true,
                    "SSTables of " + Amount.bytes(from.bytes()) + ", " + Amount.count(part.tables(), "table"),
                    /* limits */ null,
                    Map.of("tables", part.tables(), "bytes", from.bytes()));
        }
        return new Part(
                part.label(),
                part.selection(),
                part.reach(),
                /* writes */ false,
                /* isFiles */ false,
                Amount.count(part.tables(), "table")
                        + (part.bytes() == 0 ? "" : ", about " + Amount.bytes(part.bytes()) + " on a node"),
                /* limits */ null,
                Map.of("tables", part.tables(), "bytesOnANode", part.bytes()));
    }

    private static Part part(Plan.WritesTables part) {
        return new Part(
                part.label(),
                part.keyspace(),
                part.reach(),
                /* writes */ true,
                /* isFiles */ false,
                Amount.count(part.tables(), "table")
                        + (part.bytes() == 0
                                ? ""
                                : ", about " + Amount.bytes(part.bytes()) + " on a node if stored as in the source"),
                /* limits */ null,
                Map.of("tables", part.tables(), "bytesOnANode", part.bytes()));
    }

    private static Part part(Plan.Reads part, boolean sends) {
        ScanOptions options = part.options();
        Map<String, Object> facts = new LinkedHashMap<>();
        String how = "";
        if (part.splits() > 0) {
            facts.put("splits", part.splits());
            facts.put("splitsInFlight", part.atOnce());
            how = Amount.count(part.splits())
                    + (part.splits() == 1 ? " split" : " splits, " + Amount.count(part.atOnce()) + " at once")
                    + ", pages of " + size(options.pageBytes()) + trials(options.findsPageBytes());
        }
        if (!options.hasWholeRing()) {
            double share = TokenRanges.share(options.tokenRanges());
            facts.put("tokenShare", share);
            how += (how.isEmpty() ? "" : ", ") + percent(share) + " of the tokens";
        }
        facts.put("pageBytes", options.pageBytes());
        facts.put("inFlightControl", word(options.inFlightControl()));
        rates(facts, options.rowsPerSecond(), options.bytesPerSecond());
        String limits = control(options.inFlightControl()) + rates(options.rowsPerSecond(), options.bytesPerSecond());
        return new Part(
                part.label(), part.reach(), /* writes */ false, /* isFiles */ false, how, sends ? null : limits, facts);
    }

    private static Part part(Plan.Writes part) {
        WriteOptions options = part.options();
        Grouping grouping = part.grouping();
        Map<String, Object> facts = new LinkedHashMap<>();
        String how = "";
        if (grouping != null) {
            facts.put("grouping", word(grouping));
            facts.put("gathersSingles", part.gathersSingles());
            String batches = " in batches of up to " + size(options.batchBytes()) + trials(options.findsBatchBytes())
                    + " or " + Amount.count(options.batchRows(), "row");
            how = switch (grouping) {
                case PARTITION -> "rows of a partition" + batches;
                case REPLICA_SET -> "rows with the same replicas" + batches;
                case NONE ->
                    "each row by itself" + (part.gathersSingles() ? ", or with others while that is faster" : "");
            };
            if (grouping != Grouping.NONE) {
                facts.put("batchBytes", options.batchBytes());
                facts.put("batchRows", options.batchRows());
            }
        }
        facts.put("inFlightControl", word(options.inFlightControl()));
        facts.put("inFlightRequests", part.limits().requests());
        facts.put("inFlightBytes", part.limits().bytes());
        rates(facts, options.rowsPerSecond(), options.bytesPerSecond());
        String limits = control(options.inFlightControl()) + ", at most "
                + Amount.count(part.limits().requests(), "request") + " and "
                + size(part.limits().bytes())
                + " a node" + rates(options.rowsPerSecond(), options.bytesPerSecond());
        return new Part(part.label(), part.reach(), /* writes */ true, /* isFiles */ false, how, limits, facts);
    }

    private static String percent(double share) {
        return share < 0.0001 ? "less than 0.01%" : String.format(Locale.ROOT, "%.2f%%", 100 * share);
    }

    private static Part part(Plan.ReadsSource part) {
        ScanOptions options = part.options();
        RowSource.Content from = part.from();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put(from.part().toLowerCase(Locale.ROOT) + "s", from.parts());
        boolean isFiles = from.way() == RowSource.Way.FILES;
        if (!isFiles) {
            facts.put("way", from.way().name().toLowerCase(Locale.ROOT));
        }
        facts.put("bytes", from.bytes());
        facts.put("splits", part.splits());
        rates(facts, options.rowsPerSecond(), options.bytesPerSecond());
        String parts = Amount.count(from.parts(), from.part());
        String how =
                switch (from.way()) {
                    case FILES -> parts + " of " + Amount.bytes(from.bytes());
                    case LOOKUPS -> "the rows of " + parts + ", each looked up";
                    case SCAN -> "the rows of " + parts + ", by a scan of about " + Amount.bytes(from.bytes());
                };
        return new Part(
                part.label(),
                part.reach(),
                /* writes */ false,
                isFiles,
                how + " in " + Amount.count(part.splits(), "split")
                        + rates(options.rowsPerSecond(), options.bytesPerSecond()),
                /* limits */ null,
                facts);
    }

    private static String trials(boolean finds) {
        return finds ? " (trials may change it)" : "";
    }

    private static void rates(Map<String, Object> facts, long rowsPerSecond, long bytesPerSecond) {
        if (rowsPerSecond != Long.MAX_VALUE) {
            facts.put("rowsPerSecond", rowsPerSecond);
        }
        if (bytesPerSecond != Long.MAX_VALUE) {
            facts.put("bytesPerSecond", bytesPerSecond);
        }
    }

    private static String control(InFlightControl control) {
        return switch (control) {
            case ROUND_TRIPS -> "in flight by round trips";
            case FIXED -> "in flight without control";
            case VEGAS, GRADIENT, AIMD -> "in flight by " + word(control);
        };
    }

    private static String rates(long rowsPerSecond, long bytesPerSecond) {
        String rates = Stream.of(
                        rowsPerSecond == Long.MAX_VALUE ? "" : Amount.count(rowsPerSecond) + " rows/s",
                        bytesPerSecond == Long.MAX_VALUE ? "" : size(bytesPerSecond) + "/s")
                .filter(rate -> !rate.isEmpty())
                .collect(Collectors.joining(" and "));
        return rates.isEmpty() ? "" : "; at most " + rates;
    }

    private static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    /** A size as on the command line, where k and M are powers of 1024. */
    private static String size(long bytes) {
        if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) {
            return Amount.count(bytes >> 20) + "MB";
        }
        return bytes >= 1 << 10 && bytes % (1 << 10) == 0
                ? Amount.count(bytes >> 10) + "KB"
                : Amount.count(bytes) + " bytes";
    }

    /** Prints it, unless the summary will be JSON, which has it. */
    public void show(PrintWriter err, boolean asJson) {
        if (!asJson) {
            Terminal.print(err, this::text);
        }
    }

    /** A line for each cluster, each part, and different limits. */
    public void text(PrintWriter out) {
        Reach before = null;
        for (Part part : parts) {
            Reach reach = part.reach;
            if (before == null
                    || !before.cluster().equals(reach.cluster())
                    || !before.nodes().equals(reach.nodes())) {
                line(out, "cluster", cluster(reach));
            }
            before = reach;
            line(
                    out,
                    part.label,
                    part.table
                            + (part.isFiles ? "" : " at " + consistency(part))
                            + (part.how.isEmpty() ? "" : part.isFiles && !part.writes ? " from " : "; ")
                            + part.how);
        }
        if (after != null) {
            line(out, "cells", after.inWords());
        }
        parts.stream()
                .map(Part::limits)
                .filter(Objects::nonNull)
                .distinct()
                .forEach(limits -> line(out, "limits", limits + (guard == null ? "" : "; guard " + guard)));
        out.flush();
    }

    private static void line(PrintWriter out, String label, String text) {
        out.println(String.format(Locale.ROOT, "  %-9s %s", label, text));
    }

    private static String cluster(Reach reach) {
        int count = reach.nodes().size();
        int down = reach.nodesDown().size();
        return reach.cluster() + ", data centre " + reach.datacenter()
                + (count == 1
                        ? ", node " + reach.nodes().get(0)
                        : ", " + count + " nodes" + (count > MAX_NAMES ? "" : ": " + String.join(", ", reach.nodes())))
                + (down == 0
                        ? ""
                        : "; " + (down > MAX_NAMES ? down + " nodes" : String.join(", ", reach.nodesDown()))
                                + (down == 1 ? " is down" : " are down"))
                + (reach.failoverDatacenter() == null ? "" : "; fails over to " + reach.failoverDatacenter());
    }

    private static String consistency(Part part) {
        Reach reach = part.reach;
        Set<String> others = reach.otherDatacenters();
        boolean one = reach.nodesByDatacenter().size() == 1;
        String quorums = reach.waitsFor().stream()
                .map(quorum -> quorum.needed() + " of " + quorum.of() + (quorum.of() == 1 ? " replica" : " replicas")
                        + (one ? "" : " in " + and(quorum.datacenters())))
                .collect(Collectors.joining(" and "));
        StringBuilder text = new StringBuilder(reach.consistency().name());
        if (!quorums.isEmpty()) {
            text.append(" (").append(quorums).append(')');
        }
        if (reach.waitsForOthers()) {
            text.append("; waits for nodes of ").append(and(others)).append(", too");
            if (reach.hasConditions()) {
                text.append(", which decide on conditions");
            }
        } else if (part.writes && !others.isEmpty()) {
            text.append("; replicated to ").append(and(others)).append(", too");
        }
        if (!one && !reach.replicas().isEmpty() && !reach.replicas().containsKey(reach.datacenter())) {
            text.append("; ").append(reach.datacenter()).append(" has no replicas, and passes requests on");
        }
        return text.toString();
    }

    private static String and(Collection<String> words) {
        return String.join(" and ", words);
    }

    /** Adds the object {@code plan}. */
    public void members(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("plan");
        if (guard != null) {
            json.writeStringField("guard", guard.toString());
        }
        if (after != null) {
            json.writeObjectFieldStart("cells");
            json.writeStringField("writtenAfter", after.time().toString());
            json.writeStringField("origin", after.origin());
            json.writeEndObject();
        }
        for (Part part : parts) {
            Reach reach = part.reach;
            json.writeObjectFieldStart(part.label);
            json.writeStringField("table", part.table);
            json.writeStringField("cluster", reach.cluster());
            json.writeStringField("datacenter", reach.datacenter());
            names(json, "nodes", reach.nodes());
            names(json, "nodesDown", reach.nodesDown());
            if (reach.failoverDatacenter() != null) {
                json.writeStringField("failoverDatacenter", reach.failoverDatacenter());
            }
            if (!part.isFiles) {
                consistency(json, reach);
            }
            for (Map.Entry<String, Object> fact : part.facts.entrySet()) {
                json.writeObjectField(fact.getKey(), fact.getValue());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void consistency(JsonGenerator json, Reach reach) throws IOException {
        json.writeStringField("consistency", reach.consistency().name());
        json.writeObjectFieldStart("replicas");
        for (Map.Entry<String, Integer> each : reach.replicas().entrySet()) {
            json.writeNumberField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
        names(json, "otherDatacenters", reach.otherDatacenters());
        json.writeBooleanField("waitsForOtherDatacenters", reach.waitsForOthers());
    }

    private static void names(JsonGenerator json, String name, Collection<String> names) throws IOException {
        json.writeArrayFieldStart(name);
        for (String each : names) {
            json.writeString(each);
        }
        json.writeEndArray();
    }
}
