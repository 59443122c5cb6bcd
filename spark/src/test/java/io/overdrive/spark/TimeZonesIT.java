package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Date;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.TimeZone;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dates and points in time are the same in every time zone that Spark runs in. */
class TimeZonesIT {
    private static final String KEYSPACE = "spark_time_zones";
    private static final TimeZone HERE = TimeZone.getDefault();
    private static final String ZONE = "spark.sql.session.timeZone";

    @BeforeAll
    static void create() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE
                + ".t (k int, day date, at timestamp, since time, PRIMARY KEY (k, day, at))");
    }

    @AfterAll
    static void restore() {
        TimeZone.setDefault(HERE);
        TestSpark.spark().conf().set(ZONE, "UTC");
    }

    @BeforeEach
    void empty() {
        TestSpark.cql("TRUNCATE " + KEYSPACE + ".t");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CET", "PST", "Asia/Kolkata", "Pacific/Apia"})
    void keepsDaysAndPointsInTime(String zone) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        SparkSession spark = TestSpark.spark();
        spark.conf().set(ZONE, TimeZone.getDefault().getID());
        String table = "cass." + KEYSPACE + ".t";
        List<String> days = List.of("1930-05-31", "1582-10-04", "1582-10-15", "2011-12-31", "2020-03-29", "0001-01-01");
        for (int k = 0; k < days.size(); k++) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + ".t (k, day, at, since) VALUES (" + k + ", '" + days.get(k)
                    + "', '2020-03-29T01:30:00.123Z', '10:00:00.5')");
        }
        // written by others
        List<Row> read = spark.sql("SELECT day, at, unix_millis(at), CAST(day AS STRING) FROM " + table + " ORDER BY k")
                .collectAsList();
        Instant at = Instant.parse("2020-03-29T01:30:00.123Z");
        for (int k = 0; k < days.size(); k++) {
            assertThat(read.get(k).getString(3)).isEqualTo(days.get(k));
            assertThat(read.get(k).getTimestamp(1).toInstant()).isEqualTo(at);
            assertThat(read.get(k).getLong(2)).isEqualTo(at.toEpochMilli());
            if (k != 1 && k != 5) { // java.sql.Date uses the Julian calendar for these days
                assertThat(read.get(k).getDate(0).toLocalDate()).isEqualTo(LocalDate.parse(days.get(k)));
            }
        }
        // conditions that Cassandra evaluates, and a key
        assertThat(spark.sql("SELECT k FROM " + table + " WHERE day = DATE'1930-05-31'")
                        .collectAsList())
                .containsExactly(RowFactory.create(0));
        assertThat(spark.sql("SELECT k FROM " + table + " WHERE k = 4 AND day = '2020-03-29' AND at ="
                                + " TIMESTAMP'2020-03-29 01:30:00.123Z'")
                        .collectAsList())
                .containsExactly(RowFactory.create(4));
        // written by Spark: dates and times of its API, literals and text in the session's zone
        Date day = Date.valueOf("1986-01-02");
        spark.createDataFrame(
                        List.of(RowFactory.create(10, day, java.sql.Timestamp.from(at))),
                        StructType.fromDDL("k int, day date, at timestamp"))
                .writeTo(table)
                .append();
        spark.sql("INSERT INTO " + table + " VALUES (11, DATE'1986-01-02', TIMESTAMP'2020-07-01 12:00:00', 5),"
                + " (12, DATE'0001-01-01', TIMESTAMP'1900-01-01 00:00:00', 6)");
        spark.sql("SELECT 13 AS k, '1986-01-02' AS day, '2020-07-01 12:00:00' AS at")
                .writeTo(table)
                .append();
        ZoneId local = TimeZone.getDefault().toZoneId();
        Instant noon = LocalDateTime.parse("2020-07-01T12:00:00").atZone(local).toInstant();
        Instant midnight =
                LocalDateTime.parse("1900-01-01T00:00:00").atZone(local).toInstant();
        assertThat(written(10)).isEqualTo("1986-01-02 " + at);
        assertThat(written(11)).isEqualTo("1986-01-02 " + noon);
        assertThat(written(12)).isEqualTo("0001-01-01 " + midnight);
        assertThat(written(13)).isEqualTo("1986-01-02 " + noon);
    }

    private static String written(int k) {
        var row = TestSpark.cql("SELECT day, at FROM " + KEYSPACE + ".t WHERE k = " + k)
                .get(0);
        return row.getLocalDate(0) + " " + row.getInstant(1);
    }
}
