package io.overdrive.cli.watch;

import java.util.List;
import java.util.Locale;

/** The metrics of a run; docs/reference/metrics.md has the same list. Names are as in OpenMetrics, without the suffix of a counter. */
enum Metric {
    ROWS_READ(Kind.COUNTER, "Rows or records that were read"),
    ROWS_WRITTEN(Kind.COUNTER, "Rows that the cluster acknowledged, or that are in files"),
    ROWS_REJECTED(Kind.COUNTER, "Records and rows that were rejected"),
    ROWS_COMPARED(Kind.COUNTER, "Rows that were compared"),
    DIFFERENCES(Kind.COUNTER, "Rows that are missing or differ"),
    READ_BYTES(Kind.COUNTER, "Bytes of files as stored, or of pages"),
    WRITTEN_BYTES(Kind.COUNTER, "Bytes of acknowledged requests, or of records before compression"),
    SPILLED_BYTES(Kind.COUNTER, "Bytes of rows that went through the disk, as memory was short"),
    PENDING_ROWS(Kind.GAUGE, "Rows that wait to be sent or acknowledged"),
    DONE_RATIO(Kind.GAUGE, "Share of the work that is done"),
    GUARD_SHARE_RATIO(Kind.GAUGE, "Share of its limits that the run may use, by its guard", Label.CLUSTER),

    REQUESTS(Kind.COUNTER, "Requests that ended, by how they did", Label.CLUSTER, Label.NODE, Label.OUTCOME),
    RETRIES(Kind.COUNTER, "Requests that repeat one that failed", Label.CLUSTER, Label.NODE),
    ANSWERED_BYTES(
            Kind.COUNTER,
            "Bytes of answered requests, or of the pages that they were answered with",
            Label.CLUSTER,
            Label.NODE),
    IN_FLIGHT_REQUESTS(Kind.GAUGE, "Requests that are sent and not answered yet", Label.CLUSTER, Label.NODE),
    IN_FLIGHT_BYTES(
            Kind.GAUGE, "Bytes of these requests, or of the pages that they wait for", Label.CLUSTER, Label.NODE),
    IN_FLIGHT_LIMIT_BYTES(
            Kind.GAUGE,
            "Bytes that may be in flight, where each request counts as 1 KiB plus its bytes",
            Label.CLUSTER,
            Label.NODE),
    REQUEST_DURATION_SECONDS(Kind.HISTOGRAM, "Time from sending a request to its answer", Label.CLUSTER, Label.NODE),

    HEAP_USED_BYTES(Kind.GAUGE, "Memory of the Java heap in use"),
    HEAP_MAX_BYTES(Kind.GAUGE, "Memory that the Java heap may use"),
    GC_SECONDS(Kind.COUNTER, "Time of garbage collection"),
    CPU_SECONDS(Kind.COUNTER, "CPU time of the process"),
    START_TIME_SECONDS(Kind.GAUGE, "When the process started, in seconds since 1970"),
    END_TIME_SECONDS(Kind.GAUGE, "When the run ended, in seconds since 1970; missing before"),
    RUN_STATE(Kind.STATES, "1 for the state that the run is in", Label.STATE);

    /** The type of a metric in OpenMetrics. */
    enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM,
        STATES
    }

    /** Labels that only some metrics have. */
    enum Label {
        /** Only if the run has connections to two clusters. */
        CLUSTER("cluster"),
        NODE("node"),
        OUTCOME("outcome"),
        STATE("overdrive_run_state");

        final String text;

        Label(String text) {
            this.text = text;
        }
    }

    final Kind kind;
    final String help;
    final List<Label> labels;

    Metric(Kind kind, String help, Label... labels) {
        this.kind = kind;
        this.help = help;
        this.labels = List.of(labels);
    }

    /** The name without the suffix of a counter. */
    String metricName() {
        return "overdrive_" + name().toLowerCase(Locale.ROOT);
    }

    /** The name as it is exposed and queried. */
    String exposedName() {
        return metricName() + (kind == Kind.COUNTER ? "_total" : "");
    }
}
