package io.overdrive.spark.rdd

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.mapper.{ColumnMapper, JavaBeanColumnMapper}
import com.datastax.spark.connector.rdd.ReadConf
import com.datastax.spark.connector.writer.WriteConf
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved, SparkListenerTaskStart}
import org.apache.spark.sql.SparkSession
import org.apache.spark.{SparkConf, SparkContext, TaskContext}

import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.reflect.ClassTag
import scala.util.Try

/**
 * The application that ExecutorsIT runs: RDDs on two executors, each a separate process, which jobs kill or keep waiting. Prints lines
 * "### name: result".
 */
object ExecutorsApp {
  val Tasks = 4
  val Rows = 20000
  val RowsOfPartition = 10
  val ChangedRows = 300

  /** The row at which the first attempt of the first task kills its executor, or stops for long: each task has more. */
  private val At = 1000

  /** A read or a join has fewer rows than that in a page. */
  private val Pages = ReadConf(splitCount = Some(Tasks), fetchSizeInRows = 100)

  /** Rows are written as soon as a partition has all of its rows. */
  private val Batches = WriteConf(batchSize = RowsInBatch(RowsOfPartition))

  private type Found = (Int, Int, String)

  /** @param arguments address of the node, its port, a keyspace, a directory for what executors write, the node's JMX, and a directory for SSTables */
  def main(arguments: Array[String]): Unit = {
    val conf = new SparkConf()
      .setMaster(TwoHosts.start(arguments(3)))
      .setAppName("executors")
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.executor.memory", "512m")
      .set("spark.executor.cores", "1")
      .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
      .set("spark.scheduler.minRegisteredResourcesRatio", "1.0")
      .set("spark.cassandra.connection.host", arguments(0))
      .set("spark.cassandra.connection.port", arguments(1))
      .set("spark.overdrive.sstables.jmx", arguments(4))
      .set("spark.overdrive.sstables.directory", arguments(5))
      .set("spark.overdrive.sstables.tasks", Tasks.toString)
      .set("spark.sql.catalog.cass", "io.overdrive.spark.CassandraCatalog")
    val killing = new ExecutorsApp(conf, arguments(2))
    killing.loseExecutors()
    killing.addToCountersThatAreLost()
    killing.changeRowsThatAreLost()
    killing.stop()
    val speculating = new ExecutorsApp(
      conf.clone.set("spark.speculation", "true").set("spark.speculation.quantile", "0.5"),
      arguments(2))
    speculating.repeatTasks()
    speculating.refuse()
    speculating.accept()
    speculating.stop()
    println("### end: main returns")
  }

  private def isFirst: Boolean = {
    val task = TaskContext.get
    task.partitionId == 0 && task.attemptNumber == 0 && task.stageAttemptNumber == 0
  }

  /** Kills the executor of the first attempt of the first task. */
  private def kill(): Unit = if (isFirst) {
    new ProcessBuilder("kill", "-9", ProcessHandle.current.pid.toString).start()
    Thread.sleep(Long.MaxValue)
  }

  /** Keeps the first attempt of the first task waiting. */
  private def stall(): Unit = if (isFirst) Thread.sleep(120_000)

  /** The same rows, with an action at one of each task. */
  private def interrupted[T: ClassTag](rows: RDD[T], action: () => Unit): RDD[T] = rows.mapPartitions { all =>
    var count = 0
    all.map { row =>
      count += 1
      if (count == At) action()
      row
    }
  }

  /** Waits until a query has rows: a part of those of the first task is written. */
  private def awaitRows(connector: CassandraConnector, query: String): Unit = if (isFirst) {
    connector.withSessionDo { session =>
      val end = System.nanoTime() + 60_000_000_000L
      while (!session.execute(query).iterator.hasNext) {
        if (System.nanoTime() > end) throw new IllegalStateException(s"there are no rows: $query")
        Thread.sleep(20)
      }
    }
  }

  /** The first stage in which this JVM has read a row's value. */
  private val firstStage = new AtomicInteger(-1)
  private val read = new AtomicInteger

  /** A row that kills the executor of the first task that writes SSTables, while it does; earlier ones distribute rows. */
  final class Fatal(n: Int) extends Serializable {
    def getP: Int = n / RowsOfPartition
    def getC: Int = n % RowsOfPartition
    def getL: java.util.List[Int] = java.util.List.of(n, n + 1)
    def getV: String = {
      val stage = TaskContext.get.stageId
      firstStage.compareAndSet(-1, stage)
      if (isFirst && stage > firstStage.get && read.incrementAndGet() == At) kill()
      s"v$n"
    }
  }

  private def print(name: String, result: Any): Unit = println(s"### $name: $result")
}

private final class ExecutorsApp(conf: SparkConf, keyspace: String) {
  import ExecutorsApp._

  private val sc = new SparkContext(conf)
  private val connector = CassandraConnector(sc.getConf)
  private val lost = new AtomicInteger
  private val copies = new AtomicInteger
  sc.addSparkListener(new SparkListener {
    override def onExecutorRemoved(removed: SparkListenerExecutorRemoved): Unit = lost.incrementAndGet()

    override def onTaskStart(start: SparkListenerTaskStart): Unit = if (start.taskInfo.speculative) copies.incrementAndGet()
  })

  def stop(): Unit = sc.stop()

  private def expected: Seq[Found] = (0 until Rows).map(n => (n / RowsOfPartition, n % RowsOfPartition, s"v$n"))

  private def same(found: Array[Found]): String = if (found.sorted.toSeq == expected) "the same" else s"others: ${found.length}"

  private def write(table: String, action: () => Unit): Unit = {
    val rows = sc.parallelize(0 until Rows, Tasks).map(n => (n / RowsOfPartition, n % RowsOfPartition, s"v$n", Seq(n, n + 1)))
    interrupted(rows, action).saveToCassandra(keyspace, table, SomeColumns("p", "c", "v", "l"), Batches)
  }

  private def read(action: () => Unit): Array[Found] = {
    val table = sc.cassandraTable[Found](keyspace, "killed").select("p", "c", "v").withReadConf(Pages)
    interrupted(table, action).collect()
  }

  private def join(action: () => Unit): Array[Found] = {
    val keys = sc.parallelize(0 until Rows / RowsOfPartition, Tasks).map(Tuple1(_))
    val joined = keys.joinWithCassandraTable[Found](keyspace, "killed", SomeColumns("p", "c", "v"), readConf = Pages)
    interrupted(joined, action).map(_._2).collect()
  }

  def loseExecutors(): Unit = {
    val there = connector
    val first = s"SELECT c FROM $keyspace.killed WHERE p = 0"
    write("killed", () => { awaitRows(there, first); kill() })
    print("read", same(read(() => kill())))
    print("join", same(join(() => kill())))
    // what the executor has read before is lost with it, and read again
    val sums = sc.cassandraTable[(Int, Int)](keyspace, "killed").select("p", "c").reduceByKey(_ + _, Tasks)
      .mapPartitions { found => kill(); found }
    print("shuffled", sums.map(_._2).countByValue().toMap)
    importRows()
    val end = System.nanoTime() + 30_000_000_000L // listeners are late
    while (lost.get < 5 && System.nanoTime() < end) Thread.sleep(20)
    print("executors lost", lost)
  }

  private def importRows(): Unit = {
    implicit val importing: CassandraConnector = CassandraConnector(sc.getConf.set("spark.overdrive.sstables", "true"))
    implicit val mapper: ColumnMapper[Fatal] = new JavaBeanColumnMapper[Fatal]()
    sc.parallelize(0 until Rows, Tasks).map(new Fatal(_)).saveToCassandra(keyspace, "imported", SomeColumns("p", "c", "v", "l"))
  }

  /** An attempt may have added to any of its counters when it is lost. */
  def addToCountersThatAreLost(): Unit = {
    val there = connector
    val first = s"SELECT n FROM $keyspace.counted WHERE k = 0"
    val failure = Try {
      interrupted(sc.parallelize(0 until Rows, Tasks), () => { awaitRows(there, first); kill() })
        .map(k => (k, 1L)).saveToCassandra(keyspace, "counted", writeConf = WriteConf(batchSize = RowsInBatch(1)))
    }.failed.get
    print("counters", failure.getMessage.linesIterator.next())
  }

  /** An executor is killed when some rows are changed: what it has read for others is lost with it. */
  def changeRowsThatAreLost(): Unit = {
    sc.parallelize(0 until ChangedRows, Tasks).map((_, 1)).saveToCassandra(keyspace, "changed")
    val executors = sc.parallelize(0 until 2 * Tasks, 2 * Tasks).map { _ =>
      Thread.sleep(200)
      ProcessHandle.current.pid
    }.distinct().collect()
    val spark = SparkSession.builder().getOrCreate()
    spark.conf.set("spark.overdrive.writeRowsPerSecond", "50")
    val statement = Future(spark.sql(s"UPDATE cass.$keyspace.changed SET v = v + 1"))(ExecutionContext.global)
    val changed = s"SELECT v FROM $keyspace.changed WHERE v = 2 LIMIT 1 ALLOW FILTERING"
    while (!statement.isCompleted && !connector.withSessionDo(_.execute(changed).iterator.hasNext)) Thread.sleep(5)
    new ProcessBuilder("kill", "-9", executors.head.toString).start()
    print("changes", Try(Await.result(statement, Duration.Inf)).fold(_.getMessage.linesIterator.next(), _ => "all"))
  }

  def repeatTasks(): Unit = {
    def copiesOf[T](action: => T): String = {
      val before = copies.get
      val result = action
      s"$result, ${if (copies.get > before) "by a copy" else "without a copy"}"
    }
    print("speculative write", copiesOf { write("repeated", () => stall()); "written" })
    print("speculative read", copiesOf(same(read(() => stall()))))
    print("speculative join", copiesOf(same(join(() => stall()))))
  }

  /** Additions, which two attempts would make twice: no task may begin with them. */
  def refuse(): Unit = {
    def refusal(job: => Unit): String = {
      val failure = Try(job).failed.get
      s"${failure.getClass.getSimpleName} ${failure.getMessage}"
    }
    val counters = sc.parallelize(Seq((1, 1L)))
    val lists = sc.parallelize(Seq((1, Seq(7))))
    print("refused counters", refusal(counters.saveToCassandra(keyspace, "refused")))
    print("refused append", refusal(lists.saveToCassandra(keyspace, "lists", SomeColumns("k", "l".append))))
    print("refused prepend", refusal(lists.saveToCassandra(keyspace, "lists", SomeColumns("k", "l".prepend))))
  }

  def accept(): Unit = {
    implicit val accepting: CassandraConnector = CassandraConnector(sc.getConf.set("spark.overdrive.allowNonIdempotent", "true"))
    sc.parallelize(Seq((1, 1L))).saveToCassandra(keyspace, "accepted")
    sc.parallelize(Seq((1, Seq(7)))).saveToCassandra(keyspace, "accepted_lists", SomeColumns("k", "l".append))
  }
}
