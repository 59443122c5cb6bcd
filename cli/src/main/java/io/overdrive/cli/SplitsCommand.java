package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Overdrive;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.Split;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.options.TokenRange;
import io.overdrive.internal.names.VisibleText;
import io.overdrive.jobs.JobSetting;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive splits}: parts of a table for processes that read it together. */
@Command(
        name = "splits",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive splits [OPTIONS] TABLE",
        description =
                "Prints the splits of a table: parts that can be read independently of each other, by processes on one"
                        + " machine or several. Each row is in exactly one. A line has, separated by tabs, the token ranges for"
                        + " --token-range of unload, count, copy and diff, the nodes that have a replica of all of them (- if none"
                        + " has), and the estimated bytes (0 if the nodes have no estimate yet). Splits have about the same number"
                        + " of bytes, and a node in common if possible.",
        footer = {
            "",
            "Examples:",
            "  overdrive splits demo.flights --splits 16 --json",
            "  overdrive splits demo.flights | parallel --colsep '\\t' overdrive unload demo.flights out-{#}/ --token-range={1}",
        })
final class SplitsCommand implements Callable<Integer>, SettingOptions.Command {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "TABLE",
            hideParamSyntax = true,
            arity = "0..1",
            description = "keyspace.table, as in CQL (not with --query).")
    private @Nullable String table;

    @Option(
            names = "--query",
            paramLabel = "CQL",
            description =
                    "Instead of a table: a SELECT without markers. One that cannot be split by token is one split.")
    private @Nullable String query;

    @Option(names = "--json", description = "Write the splits as a JSON array of objects.")
    private boolean json;

    private final SettingOptions number = new SettingOptions(null, List.of(JobSetting.SPLITS));

    private final ScanMixin scan = ScanMixin.withTokens("Reading", List.of(ScanSetting.PATIENCE), Map.of());

    private final ConnectMixin connect = new ConnectMixin();

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(number, scan.options(), connect.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        String cql = query;
        if ((table == null) == (cql == null)) {
            throw new IllegalArgumentException("give a table or --query: overdrive splits KEYSPACE.TABLE");
        }
        CqlIdentifier[] name = table == null ? null : TableName.parse(table);
        ScanOptions.Builder read = name == null
                ? ScanOptions.query(String.valueOf(cql))
                : ScanOptions.from(name[0].asInternal(), name[1].asInternal());
        scan.apply(read);
        ScanOptions options = read.build(); // reports a wrong value before anything else happens
        Long given = number.find(JobSetting.SPLITS);
        int wanted = given == null ? 0 : number.getInt(JobSetting.SPLITS);
        List<String> keyspaces = name == null ? List.of() : List.of(name[0].asInternal());
        try (Overdrive overdrive = Overdrive.connect(connect.options(err).withKeyspaces(keyspaces));
                Scan of = overdrive.scan(options)) {
            if (!of.whyNotSplit().isEmpty()) {
                err.println("overdrive: the query is not split by token but is one split: " + of.whyNotSplit());
            }
            print(of.splitsForReaders(wanted), spec.commandLine().getOut());
        }
        return Main.DONE;
    }

    private void print(List<Split> splits, PrintWriter out) {
        if (json) {
            out.println(json(splits));
        } else {
            for (Split split : splits) {
                out.println(VisibleText.of(
                        TokenRange.text(split.ranges()) + "\t" + nodes(split) + "\t" + split.estimatedBytes()));
            }
        }
        out.flush();
    }

    private static String nodes(Split split) {
        return split.replicas().isEmpty() ? "-" : String.join(",", split.replicas());
    }

    private static String json(List<Split> splits) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartArray();
            for (Split split : splits) {
                json.writeStartObject();
                strings(
                        json,
                        "token_ranges",
                        split.ranges().stream().map(TokenRange::text).toList());
                strings(json, "nodes", split.replicas());
                json.writeNumberField("estimated_bytes", split.estimatedBytes());
                json.writeEndObject();
            }
            json.writeEndArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void strings(JsonGenerator json, String name, List<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }
}
