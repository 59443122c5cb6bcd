package io.overdrive.spark.rdd

import io.overdrive.TestCluster
import io.overdrive.spark.rdd.Programs.{Bundle, sparksJars}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path}
import java.util.jar.JarFile
import scala.jdk.CollectionConverters._
import scala.util.Using

/** Classes that the jar for users must and must not have, and a program that uses it next to Spark's own jars. */
class BundleIT {
  private val Other = Path.of("..", "spark", "target", "overdrive-spark-bundle.jar").toAbsolutePath.normalize

  /** Names in the form of class files. */
  private val NotMoved = "(?<!io/overdrive/shaded/)\\b(com/typesafe/config/|io/netty/|org/HdrHistogram/)".r

  private def entries(jar: Path): Seq[String] = Using.resource(new JarFile(jar.toFile))(_.stream.iterator.asScala.map(_.getName).toSeq)

  @Test
  def allClassesAreInOurPackagesOrThoseThatProgramsName(): Unit = {
    val prefixes = Seq(
      "io/overdrive/",
      "org/apache/spark/sql/cassandra/",
      "com/datastax/spark/connector/",
      "com/datastax/oss/",
      "com/datastax/dse/",
      "org/reactivestreams/")
    assertThat(entries(Bundle).filter(name => name.endsWith(".class") && !prefixes.exists(name.startsWith)).asJava).isEmpty()
    assertThat(entries(Bundle).filter(_.startsWith("com/datastax/spark/connector/")).asJava)
      .contains(
        "com/datastax/spark/connector/cql/CassandraConnector.class",
        "com/datastax/spark/connector/package.class",
        "com/datastax/spark/connector/japi/CassandraJavaUtil.class")
    assertThat(entries(Bundle).asJava).contains("org/apache/spark/sql/cassandra/package.class")
  }

  @Test
  def noClassRefersToTheOriginalPackagesOfWhatWasMoved(): Unit =
    Using.resource(new JarFile(Bundle.toFile)) { jar =>
      val wrong = jar.stream.iterator.asScala.filter(_.getName.endsWith(".class")).filter { entry =>
        NotMoved.findFirstIn(new String(jar.getInputStream(entry).readAllBytes, StandardCharsets.ISO_8859_1)).isDefined
      }
      assertThat(wrong.map(_.getName).toSeq.asJava).isEmpty()
    }

  @Test
  def hasEverythingOfTheOtherJar(): Unit = {
    val here = entries(Bundle).map(_.replace("io/overdrive/shaded/", "")).toSet
    assertThat(entries(Other).map(_.replace("io/overdrive/shaded/", "")).filterNot(name => name.endsWith("/") || here(name)).asJava).isEmpty()
  }

  @Test
  def listsTheSamePartsAsTheOtherJar(): Unit = {
    def parts(jar: Path): Seq[String] = Using.resource(new JarFile(jar.toFile)) { opened =>
      val list = new String(opened.getInputStream(opened.getEntry("META-INF/THIRD-PARTY.txt")).readAllBytes, StandardCharsets.UTF_8)
      list.linesIterator.drop(1).filterNot(_.isEmpty).toSeq
    }
    assertThat(parts(Bundle)).isEqualTo(parts(Other))
  }

  @Test
  def isNotLarge(): Unit = assertThat(Files.size(Bundle)).isLessThan(13_000_000)

  private def run(jars: Seq[Path], arguments: String*): String =
    Programs.run(Programs.classes("BundleApp") +: jars, "BundleApp", Map.empty, arguments: _*)

  @Test
  def aProgramThatNamesTheDriverRunsBesideSparksJars(): Unit = {
    TestCluster.keyspace("rdd_bundle")
    TestSpark.cql("CREATE TABLE rdd_bundle.kv (key int PRIMARY KEY, value text)")
    val address = TestCluster.address
    assertThat(sparksJars.asJava).hasSizeGreaterThan(50).noneMatch(_.contains("cassandra"))
    assertThat(run(Seq(Bundle), address.getHostString, address.getPort.toString, "rdd_bundle"))
      .contains("rows: 100", "rows in Java: 100", "rows of a DataFrame: 100")
  }

  @Test
  def withBothJarsThereIsOneError(): Unit =
    for (jars <- Seq(Seq(Bundle, Other), Seq(Other, Bundle))) {
      assertThat(run(jars, "127.0.0.1", "1", "none")).contains("remove overdrive-spark_2.13,").doesNotContain("NoSuchMethodError")
    }
}
