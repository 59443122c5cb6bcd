package io.overdrive.spark.rdd

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.japi.CassandraJavaUtil.mapToRow
import com.datastax.spark.connector.japi.{CassandraStreamingJavaUtil, Person}
import com.datastax.spark.connector.rdd.ValidRDDType
import com.datastax.spark.connector.rdd.reader.RowReaderFactory
import com.datastax.spark.connector.streaming._
import com.datastax.spark.connector.writer.{TTLOption, WriteConf}
import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.{cql, sc}
import org.apache.spark.streaming.api.java.JavaDStream
import org.apache.spark.streaming.dstream.DStream
import org.apache.spark.streaming.{Milliseconds, StreamingContext}
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.{BeforeAll, Test, TestInstance}

import java.util.Date
import scala.collection.mutable
import scala.reflect.ClassTag

/** DStreams, in Scala and Java. */
@TestInstance(Lifecycle.PER_CLASS)
class StreamsIT {
  private val Keyspace = "rdd_streams"

  @BeforeAll
  def start(): Unit = {
    TestCluster.keyspace(Keyspace)
    cql(s"CREATE TABLE $Keyspace.places (id int PRIMARY KEY, name text)")
    cql(s"INSERT INTO $Keyspace.places (id, name) VALUES (1, 'one')")
    cql(s"INSERT INTO $Keyspace.places (id, name) VALUES (2, 'two')")
  }

  /** Runs a stream with these batches until the last of them is complete. */
  private def run[T: ClassTag](batches: Seq[T]*)(program: (StreamingContext, DStream[T]) => Unit): Unit = {
    val context = new StreamingContext(sc, Milliseconds(50))
    try {
      val queue = mutable.Queue.from(batches.map(sc.parallelize(_, 2)))
      val stream = context.queueStream(queue, oneAtATime = true, defaultRDD = null)
      @volatile var complete = 0
      program(context, stream)
      stream.foreachRDD(_ => complete += 1) // the outputs of a batch are made in sequence
      context.start()
      while (complete < batches.size && !context.awaitTerminationOrTimeout(20)) {}
    } finally context.stop(stopSparkContext = false)
  }

  @Test
  def savesAndJoins(): Unit = {
    cql(s"CREATE TABLE $Keyspace.visits (id int PRIMARY KEY, name text)")
    run(Seq(1, 2, 3), Seq(2, 4)) { (context, ids) =>
      assertThat(context.cassandraTable[(Int, String)](Keyspace, "places").count()).isEqualTo(2)
      ids.map(Tuple1(_))
        .repartitionByCassandraReplica(Keyspace, "places")
        .joinWithCassandraTable[(Int, String)](Keyspace, "places")
        .map { case (_, place) => place }
        .saveToCassandra(Keyspace, "visits", SomeColumns("id", "name"), WriteConf(ttl = TTLOption.constant(3600)))
    }
    val rows = cql(s"SELECT id, name, ttl(name) FROM $Keyspace.visits")
    assertThat(rows.map(row => row.getInt(0) -> row.getString(1)).toMap).isEqualTo(Map(1 -> "one", 2 -> "two"))
    assertThat(rows.head.getInt(2)).isBetween(3000, 3600)
  }

  @Test
  def deletes(): Unit = {
    cql(s"CREATE TABLE $Keyspace.gone (id int PRIMARY KEY, name text)")
    (1 to 4).foreach(id => cql(s"INSERT INTO $Keyspace.gone (id) VALUES ($id)"))
    run(Seq(1), Seq(3, 4))((_, ids) => ids.map(Tuple1(_)).deleteFromCassandra(Keyspace, "gone"))
    assertThat(cql(s"SELECT id FROM $Keyspace.gone").map(_.getInt(0))).isEqualTo(Seq(2))
  }

  @Test
  def savesInJava(): Unit = {
    cql(s"CREATE TABLE $Keyspace.people (id int PRIMARY KEY, name text, birth_date timestamp)")
    run(Seq(new Person(7, "Anna", new Date(0)))) { (context, people) =>
      assertThat(CassandraStreamingJavaUtil.javaFunctions(context).cassandraTable(Keyspace, "places").count()).isEqualTo(2)
      CassandraStreamingJavaUtil
        .javaFunctions(new JavaDStream[Person](people))
        .writerBuilder(Keyspace, "people", mapToRow(classOf[Person]))
        .withConstantTimestamp(42)
        .saveToCassandra()
    }
    val row = cql(s"SELECT name, writetime(name) FROM $Keyspace.people").head
    assertThat(row.getString(0)).isEqualTo("Anna")
    assertThat(row.getLong(1)).isEqualTo(42)
  }

  @Test
  def whatDoesNotFitFailsBeforeTheStreamStarts(): Unit = {
    val context = new StreamingContext(sc, Milliseconds(50))
    try {
      val stream = context.queueStream(mutable.Queue(sc.parallelize(Seq((1, "one")))))
      assertThatThrownBy(() => stream.saveToCassandra(Keyspace, "places", SomeColumns("id", "nam"))).hasMessageContaining("nam")
      assertThatThrownBy(() => stream.saveToCassandra(Keyspace, "plases")).hasMessageContaining("places")
    } finally context.stop(stopSparkContext = false)
  }

  /** A batch is written a second time after a failure; a structured stream refuses this, too. */
  @Test
  def refusesToAddToCountersAndLists(): Unit = {
    cql(s"CREATE TABLE $Keyspace.refused (id int PRIMARY KEY, n counter)")
    cql(s"CREATE TABLE $Keyspace.listed (id int PRIMARY KEY, l list<int>)")
    val context = new StreamingContext(sc, Milliseconds(50))
    try {
      val counts = context.queueStream(mutable.Queue(sc.parallelize(Seq((1, 1L)))))
      assertThatThrownBy(() => counts.saveToCassandra(Keyspace, "refused"))
        .hasMessageContaining("would add to counters and lists twice")
        .hasMessageContaining("allowNonIdempotent")
      val lists = context.queueStream(mutable.Queue(sc.parallelize(Seq((1, Seq(1))))))
      assertThatThrownBy(() => lists.saveToCassandra(Keyspace, "listed", SomeColumns("id", "l".append)))
        .hasMessageContaining("would add to counters and lists twice")
      lists.saveToCassandra(Keyspace, "listed")
    } finally context.stop(stopSparkContext = false)
  }

  @Test
  def addsToCountersIfThatIsAccepted(): Unit = {
    cql(s"CREATE TABLE $Keyspace.counted (id int PRIMARY KEY, n counter)")
    implicit val accepting: CassandraConnector = CassandraConnector(sc.getConf.set("spark.overdrive.allowNonIdempotent", "true"))
    run(Seq((1, 1L), (1, 2L)))((_, counts) => counts.saveToCassandra(Keyspace, "counted"))
    assertThat(cql(s"SELECT n FROM $Keyspace.counted").map(_.getLong(0))).isEqualTo(Seq(3L))
  }

  @Test
  def genericFunctionsMayRequireAValidType(): Unit = {
    def read[T: ClassTag: RowReaderFactory: ValidRDDType](table: String): Seq[T] = sc.cassandraTable[T](Keyspace, table).collect().toSeq
    assertThat(read[(Int, String)]("places").toMap).isEqualTo(Map(1 -> "one", 2 -> "two"))
  }
}
