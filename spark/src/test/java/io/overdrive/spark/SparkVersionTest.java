package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.datastax.spark.connector.CassandraSparkExtensions;
import org.apache.spark.sql.SparkSessionExtensions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Function1;
import scala.runtime.BoxedUnit;

class SparkVersionTest {
    @ParameterizedTest
    @CsvSource({"3.5.7, 2.12.18", "3.5.7, 2.13.8", "2.4.8, 2.11.12", "4.0.0, 3.3.1"})
    void saysWhichVersionsAreRequired(String spark, String scala) {
        assertThat(SparkVersion.problem(spark, scala))
                .isEqualTo("Overdrive needs Spark 4 with Scala 2.13, and this is Spark " + spark + " with Scala "
                        + scala + ": run the job on Spark 4, or use the connector for Spark 3");
    }

    @ParameterizedTest
    @CsvSource({"4.0.4, 2.13.16", "4.2.0-SNAPSHOT, 2.13.18", "'', ''", "5.0.0, 2.13.20"})
    void acceptsSpark4AndUnknownVersions(String spark, String scala) {
        assertThat(SparkVersion.problem(spark, scala)).isNull();
        assertThatCode(SparkVersion::require).doesNotThrowAnyException();
    }

    /** The compiler of Scala infers Unit in {@code withExtensions(new CassandraSparkExtensions)}. */
    @Test
    void theExtensionsAreAFunctionWhoseResultIsInferred() {
        Function1<SparkSessionExtensions, BoxedUnit> extensions = new CassandraSparkExtensions<>();
        assertThat(extensions).isInstanceOf(OverdriveExtensions.class);
    }
}
