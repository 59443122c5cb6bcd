package io.overdrive.spark.rdd

import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.cql
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.api.{BeforeAll, Tag, Test, TestInstance}

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/**
 * RDDs on two executors, each a separate JVM: ExecutorsApp runs once, and each test checks one part of what it has printed and written.
 */
@Tag("nightly")
@TestInstance(Lifecycle.PER_CLASS)
class ExecutorsIT {
  private val ks = "rdd_executors"
  private var output = ""
  private var left: Seq[String] = Seq("not run")
  private var printed: Map[String, String] = Map.empty

  @BeforeAll
  def run(@TempDir directory: Path): Unit = {
    TestCluster.keyspace(ks)
    for (table <- Seq("killed", "imported", "repeated")) {
      cql(s"CREATE TABLE $ks.$table (p int, c int, v text, l list<int>, PRIMARY KEY (p, c))")
    }
    for (table <- Seq("counted", "refused", "accepted")) {
      cql(s"CREATE TABLE $ks.$table (k int PRIMARY KEY, n counter)")
    }
    cql(s"CREATE TABLE $ks.changed (k int PRIMARY KEY, v int)")
    for (table <- Seq("lists", "accepted_lists")) {
      cql(s"CREATE TABLE $ks.$table (k int PRIMARY KEY, l list<int>)")
    }
    val address = TestCluster.address
    val sstables = Files.createDirectory(directory.resolve("sstables"))
    val home = directory.resolve("spark")
    Files.createDirectories(home.resolve("jars")) // demanded, and empty: the executors have the class path of the application
    output = Programs.run(
      Seq(Programs.classes("ExecutorsApp", "TwoHosts"), Programs.Bundle),
      "ExecutorsApp",
      Map("SPARK_HOME" -> home.toString, "SPARK_SCALA_VERSION" -> "2.13", "SPARK_LOCAL_IP" -> "127.0.0.1"),
      address.getHostString,
      address.getPort.toString,
      ks,
      Files.createDirectory(directory.resolve("work")).toString,
      s"127.0.0.1:${TestCluster.node.jmxPort}",
      sstables.toString)
    left = Files.list(sstables).iterator.asScala.map(_.toString).toSeq
    printed = "(?m)^### ([^:]+): (.+)$".r.findAllMatchIn(output).map(found => found.group(1) -> found.group(2)).toMap
  }

  private def assertPrinted(name: String, result: String): Unit =
    assertThat(printed.getOrElse(name, "")).as(s"$name\n$output").contains(result)

  private def assertWritten(table: String): Unit = {
    val found = cql(s"SELECT p, c, v, l FROM $ks.$table").map(row =>
      (row.getInt(0), row.getInt(1), row.getString(2), row.getList(3, classOf[Integer]).asScala.map(_.intValue).toSeq))
    val rows = (0 until ExecutorsApp.Rows).map(n => (n / ExecutorsApp.RowsOfPartition, n % ExecutorsApp.RowsOfPartition, s"v$n", Seq(n, n + 1)))
    assertThat(found.size).as(output).isEqualTo(rows.size)
    assertThat(found.filterNot(rows.toSet).take(3)).as("rows that are wrong").isEqualTo(Seq())
  }

  @Test
  def writesEachRowWhileAnExecutorIsKilled(): Unit = assertWritten("killed")

  @Test
  def importsEachRowWhileAnExecutorIsKilled(): Unit = {
    assertWritten("imported")
    assertThat(left.asJava).isEmpty()
  }

  @Test
  def readsEachRowOnceWhileAnExecutorIsKilled(): Unit = {
    assertPrinted("read", "the same")
    assertPrinted("shuffled", s"Map(45 -> ${ExecutorsApp.Rows / ExecutorsApp.RowsOfPartition})")
  }

  @Test
  def joinsEachRowOnceWhileAnExecutorIsKilled(): Unit = assertPrinted("join", "the same")

  @Test
  def eachOfTheseJobsHasLostAnExecutor(): Unit = assertPrinted("executors lost", "5")

  @Test
  def addsNothingTwiceIfAnExecutorIsKilled(): Unit = {
    assertPrinted("counters", "task 0 runs again, after a failure (see its first attempt) or by speculation, and would add to counters")
    val counters = cql(s"SELECT n FROM $ks.counted").map(_.getLong(0))
    assertThat(counters.toSet).isEqualTo(Set(1L))
    assertThat(counters.size).isLessThan(ExecutorsApp.Rows)
  }

  /** It depends on which executor is killed whether another task needs what is lost. */
  @Test
  def changesNoRowTwiceIfAnExecutorIsKilled(): Unit = {
    val values = cql(s"SELECT v FROM $ks.changed").map(_.getInt(0)).groupBy(identity).map { case (v, rows) => v -> rows.size }
    assertThat(values.keySet.subsetOf(Set(1, 2))).as(s"$values\n$output").isTrue
    assertThat(values.getOrElse(2, 0)).isPositive
    if (printed.get("changes").contains("all")) assertThat(values.get(2)).isEqualTo(Some(ExecutorsApp.ChangedRows))
    else assertPrinted("changes", "rows that were read are lost")
  }

  @Test
  def writesTheSameIfATaskRunsTwiceAtOnce(): Unit = {
    assertPrinted("speculative write", "written, by a copy")
    assertWritten("repeated")
  }

  @Test
  def readsAndJoinsEachRowOnceIfATaskRunsTwiceAtOnce(): Unit = {
    assertPrinted("speculative read", "the same, by a copy")
    assertPrinted("speculative join", "the same, by a copy")
  }

  @Test
  def refusesToAddToCountersAndListsIfSparkMayRunATaskTwiceAtOnce(): Unit = {
    val beginning = s"IllegalArgumentException [$ks"
    assertPrinted("refused counters", s"$beginning.refused] with spark.speculation=true Spark may run a task twice")
    assertPrinted("refused append", s"$beginning.lists] with spark.speculation=true Spark may run a task twice")
    assertPrinted("refused prepend", s"$beginning.lists] with spark.speculation=true Spark may run a task twice")
    assertThat(cql(s"SELECT k FROM $ks.refused").asJava).isEmpty()
    assertThat(cql(s"SELECT k FROM $ks.lists").asJava).isEmpty()
    assertThat(cql(s"SELECT n FROM $ks.accepted").map(_.getLong(0))).isEqualTo(Seq(1L))
    assertThat(cql(s"SELECT l FROM $ks.accepted_lists").map(_.getList(0, classOf[Integer]).asScala.toSeq)).isEqualTo(Seq(Seq(7)))
  }

  @Test
  def endsWithItsMainMethod(): Unit = assertPrinted("end", "main returns")
}
