package io.overdrive.bench.spark;

import io.overdrive.bench.Check;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The connector between Spark and Cassandra. */
enum Connector {
    OVERDRIVE("Overdrive"),
    PEER("connector 3.5.1");

    /** Spark has it, and Ivy fails on a Maven repository that has its pom without its jar. */
    private static final String IN_SPARK = "org.apache.commons:commons-lang3";

    private static final String PEER_PACKAGE = "com.datastax.spark:spark-cassandra-connector_2.12:3.5.1";

    /** Spark's setting that both need: Overdrive has this name, too. */
    static final Map<String, String> SETTINGS =
            Map.of("spark.sql.extensions", "com.datastax.spark.connector.CassandraSparkExtensions");

    private final String words;

    Connector(String words) {
        this.words = words;
    }

    /** How spark-submit gets it: a file, or a package that Spark fetches. */
    List<String> arguments(SparkOptions options) {
        return this == PEER
                ? List.of("--packages", PEER_PACKAGE, "--exclude-packages", IN_SPARK)
                : List.of(
                        "--jars",
                        Objects.requireNonNull(options.jar(), "no jar")
                                .toAbsolutePath()
                                .toString());
    }

    /** The same claims about this connector only. */
    List<Check> claims(List<Check> checks) {
        return checks.stream()
                .map(check -> check.of(this == PEER ? "connector" : "overdrive", "By " + inSentence() + ": "))
                .toList();
    }

    /** The connector's name in a sentence. */
    String inSentence() {
        return this == PEER ? "the connector for Spark 3" : words;
    }

    @Override
    public String toString() {
        return words;
    }
}
