package com.datastax.spark.connector

import com.datastax.spark.connector.cql.{CassandraConnector, TableDef}
import com.datastax.spark.connector.mapper.ColumnMapper
import com.datastax.spark.connector.rdd._
import com.datastax.spark.connector.rdd.reader.RowReaderFactory
import com.datastax.spark.connector.writer.{Fields, RowWriter, RowWriterFactory, TupleWriter, WriteConf}
import io.overdrive.TableSchema
import io.overdrive.spark.config.{Setting, Settings}
import io.overdrive.spark.write.{RddDelete, RddSstableWrite, RddWrite}
import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.rdd.{RDD, ShuffledRDD}

import java.net.InetAddress
import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

/** Functions for any RDD. */
class RDDFunctions[T](rdd: RDD[T]) extends Serializable {
  private def sparkContext: SparkContext = rdd.sparkContext

  /**
   * Writes all rows; returns when they are acknowledged. A row replaces those columns of an existing row that it has. With the setting
   * `sstables`, returns when the nodes have imported them.
   *
   * @param columns that are written; without, all that the rows have a property for
   * @throws IllegalArgumentException before the job starts, if columns and rows do not fit each other
   */
  def saveToCassandra(
    keyspaceName: String,
    tableName: String,
    columns: ColumnSelector = AllColumns,
    writeConf: WriteConf = WriteConf.fromSparkConf(rdd.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    rwf: RowWriterFactory[T]): Unit = {
    val (schema, settings, writer) = target(keyspaceName, tableName, columns, writeConf)
    if (RddSstableWrite.isWanted(settings)) {
      saveAsSstables(RddSstableWrite.plan[T](sparkContext, settings, schema, writer.columnNames.asJava, new Fields(writer)), schema, writer)
    } else {
      val write = RddWrite.plan[T](sparkContext, settings, schema, writer.columnNames.asJava, rdd.getNumPartitions, new Fields(writer))
      write.logLimit(sparkContext.runJob(rdd, (context: TaskContext, rows: Iterator[T]) => write.run(context, rows.asJava)))
    }
  }

  /**
   * Refuses to write RDDs like this one of a stream, which may write some of them twice.
   *
   * @throws IllegalArgumentException if that would add to counters or lists twice, unless the settings accept it
   */
  private[connector] def requireRepeatable(keyspaceName: String, tableName: String, columns: ColumnSelector, writeConf: WriteConf)(
    implicit
    connector: CassandraConnector,
    rwf: RowWriterFactory[T]): Unit = {
    val (schema, settings, writer) = target(keyspaceName, tableName, columns, writeConf)
    RddWrite.requireRepeatable(settings, schema, writer.columnNames.asJava)
  }

  /** The table, the settings of the write, and the reader of columns from rows. */
  private def target(keyspaceName: String, tableName: String, columns: ColumnSelector, writeConf: WriteConf)(
    implicit
    connector: CassandraConnector,
    rwf: RowWriterFactory[T]): (TableSchema, Settings, RowWriter[T]) = {
    val schema = Tables.schema(connector, keyspaceName, tableName)
    val table = TableDef.of(schema)
    val selected = columns.selectFrom(table)
    val times = writeConf.propertiesOfTimes.map(ColumnName(_))
    val writer = rwf.rowWriter(table, selected ++ times)
    writer match {
      case tuples: TupleWriter[T] => tuples.requireAll()
      case _ =>
    }
    if (columns != AllColumns) {
      RowWriter.requireColumns(writer, table, selected)
    }
    val options = writeConf.options ++ Map(
      Setting.KEYSPACE.option -> keyspaceName,
      Setting.TABLE.option -> tableName,
      Setting.COLLECTIONS.option -> RDDFunctions.collectionChanges(selected))
    val settings = connector.conf.settings(options, writeConf.unset)
    (schema, settings, writer)
  }

  /** Writes the rows by SSTables. Of two attempts of a task, Spark takes the result of one. */
  private def saveAsSstables(write: RddSstableWrite[T], schema: TableSchema, writer: RowWriter[T]): Unit = {
    val tasks = write.tasks
    val keys = PartitionKeys.of(schema, writer).get // a plan has all of them
    implicit val anyType: ClassTag[T] = ClassTag.Any.asInstanceOf[ClassTag[T]]
    val byRange = rdd.mapPartitions { rows =>
      val tokens = new KeyTokens[T](keys)
      rows.map(row => (RddSstableWrite.taskOf(tokens.token(row), tasks), row))
    }
    val shuffled = new ShuffledRDD[Int, T, T](byRange, new NumberPartitioner(tasks))
    val task = write.start()
    try {
      val results = sparkContext.runJob(
        shuffled,
        (context: TaskContext, rows: Iterator[(Int, T)]) => task.run(context, rows.map(_._2).asJava))
      write.commit(results.toSeq.asJava)
    } catch {
      case e: Throwable =>
        write.abort()
        throw e
    }
  }

  /**
   * Creates a table and writes all rows into it. Its columns are the properties of the rows, and the first of them is the partition
   * key.
   *
   * @param columns that are written
   * @throws IllegalArgumentException before the job starts, if no column can be created for a property
   */
  def saveAsCassandraTable(
    keyspaceName: String,
    tableName: String,
    columns: ColumnSelector = AllColumns,
    writeConf: WriteConf = WriteConf.fromSparkConf(rdd.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    rwf: RowWriterFactory[T],
    columnMapper: ColumnMapper[T]): Unit = {
    val table = TableDef.fromType[T](keyspaceName, tableName)
    columns.selectFrom(table) // fails before the table is there
    saveAsCassandraTableEx(table, columns, writeConf)
  }

  /** Creates this table, and writes all rows into it. */
  def saveAsCassandraTableEx(
    table: TableDef,
    columns: ColumnSelector = AllColumns,
    writeConf: WriteConf = WriteConf.fromSparkConf(rdd.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    rwf: RowWriterFactory[T]): Unit = {
    Tables.create(connector, table)
    saveToCassandra(table.keyspaceName, table.tableName, columns, writeConf)
  }

  /**
   * Deletes the rows, or partitions, whose keys the rows of this RDD have; returns when that is acknowledged.
   *
   * @param deleteColumns if given, only these columns are deleted from the rows
   * @param keyColumns of the primary key: the partition key, and clustering columns from the first on
   * @throws IllegalArgumentException before the job starts, if Cassandra cannot delete by these columns
   */
  def deleteFromCassandra(
    keyspaceName: String,
    tableName: String,
    deleteColumns: ColumnSelector = SomeColumns(),
    keyColumns: ColumnSelector = PrimaryKeyColumns,
    writeConf: WriteConf = WriteConf.fromSparkConf(rdd.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    rwf: RowWriterFactory[T]): Unit = {
    val schema = Tables.schema(connector, keyspaceName, tableName)
    val table = TableDef.of(schema)
    val writer = RowWriter.ofKeys(rwf, table, keyColumns)
    val deletion = RddDelete.plan[T](
      connector.conf.settings(writeConf.options + (Setting.KEYSPACE.option -> keyspaceName), writeConf.unset),
      schema,
      deleteColumns.selectFrom(table).map(_.columnName).asJava,
      writer.columnNames.asJava,
      new Fields(writer))
    sparkContext.runJob(rdd, (rows: Iterator[T]) => deletion.run(rows.asJava))
  }

  /**
   * Groups adjacent rows by the result of a function, without a shuffle: all rows of a partition of a table are adjacent, in the order
   * of its clustering columns.
   */
  def spanBy[U](f: T => U): RDD[(U, Iterable[T])] =
    rdd.mapPartitions(rows => new Spans[T, U](rows, f))

  /**
   * Each row with each row of a table that it names by key. Keys are looked up, many at once, and nothing is shuffled.
   *
   * @param joinColumns the partition key, and clustering columns from the first on; the rows have a property for each
   */
  def joinWithCassandraTable[R](
    keyspaceName: String,
    tableName: String,
    selectedColumns: ColumnSelector = AllColumns,
    joinColumns: ColumnSelector = PartitionKeyColumns,
    readConf: ReadConf = ReadConf.fromSparkConf(rdd.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    newType: ClassTag[R],
    rrf: RowReaderFactory[R],
    currentType: ClassTag[T],
    rwf: RowWriterFactory[T]): CassandraJoinRDD[T, R] =
    new CassandraJoinRDD[T, R](rdd, connector, TableRead(keyspaceName, tableName, selectedColumns), joinColumns, readConf)

  /** Like `joinWithCassandraTable`, with None for a row that names no row of the table. */
  def leftJoinWithCassandraTable[R](
    keyspaceName: String,
    tableName: String,
    selectedColumns: ColumnSelector = AllColumns,
    joinColumns: ColumnSelector = PartitionKeyColumns,
    readConf: ReadConf = ReadConf.fromSparkConf(rdd.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    newType: ClassTag[R],
    rrf: RowReaderFactory[R],
    currentType: ClassTag[T],
    rwf: RowWriterFactory[T]): CassandraLeftJoinRDD[T, R] =
    new CassandraLeftJoinRDD[T, R](rdd, connector, TableRead(keyspaceName, tableName, selectedColumns), joinColumns, readConf)

  /**
   * Moves each row to a Spark partition that belongs to a node which has the partition of the table that the row names. Of use if Spark
   * runs on the machines of the nodes.
   *
   * @param partitionsPerHost Spark partitions for each node
   * @param partitionKeyMapper the columns of the partition key, with the properties that have their values
   */
  def repartitionByCassandraReplica(
    keyspaceName: String,
    tableName: String,
    partitionsPerHost: Int = 10,
    partitionKeyMapper: ColumnSelector = PartitionKeyColumns)(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    currentType: ClassTag[T],
    rwf: RowWriterFactory[T]): CassandraPartitionedRDD[T] = {
    require(partitionsPerHost > 0, s"partitionsPerHost is $partitionsPerHost, must be 1 or more")
    val nodes = Replicas.allNodes(connector.conf.settings(Map.empty), keyspaceName)
    CassandraPartitionedRDD(rdd, nodes, partitionsPerHost, replicas(keyspaceName, tableName, partitionKeyMapper))
  }

  /** Each row with the addresses of the nodes that have the partition of the table that it names. */
  def keyByCassandraReplica(
    keyspaceName: String,
    tableName: String,
    partitionKeyMapper: ColumnSelector = PartitionKeyColumns)(
    implicit
    connector: CassandraConnector = CassandraConnector(rdd.sparkContext),
    currentType: ClassTag[T],
    rwf: RowWriterFactory[T]): RDD[(Set[InetAddress], T)] = {
    val located = replicas(keyspaceName, tableName, partitionKeyMapper)
    rdd.mapPartitions { rows =>
      val replicas = located()
      rows.map(row => (replicas.nodes(replicas.token(row)).map(Replicas.address).toSet, row))
    }
  }

  private def replicas(keyspaceName: String, tableName: String, keyColumns: ColumnSelector)(
    implicit
    connector: CassandraConnector,
    rwf: RowWriterFactory[T]): () => Replicas[T] = {
    val schema = Tables.schema(connector, keyspaceName, tableName)
    val table = TableDef.of(schema)
    val writer = RowWriter.ofKeys(rwf, table, keyColumns)
    val keys = PartitionKeys.of(schema, writer).getOrElse(
      throw new IllegalArgumentException(
        s"[$keyspaceName.$tableName] the partition key is ${table.partitionKey.map(column => s"\"${column.columnName}\"").mkString(", ")}," +
          s" and only ${writer.columnNames.map(name => s"\"$name\"").mkString(", ")} is given"))
    val settings = connector.conf.settings(Map.empty)
    () => new Replicas[T](settings, keyspaceName, new KeyTokens[T](keys))
  }
}

private object RDDFunctions {

  /** The changes in the syntax of the setting `collections`. */
  def collectionChanges(columns: Seq[ColumnRef]): String = columns.collect {
    case CollectionColumnName(name, _, CollectionAppend) => s"$name=append"
    case CollectionColumnName(name, _, CollectionPrepend) => s"$name=prepend"
    case CollectionColumnName(name, _, CollectionRemove) => s"$name=remove"
  }.mkString(",")
}

/** Functions for an RDD of pairs. */
class PairRDDFunctions[K, V](rdd: RDD[(K, V)]) extends Serializable {

  /** Groups adjacent values of the same key, without a shuffle. */
  def spanByKey: RDD[(K, Seq[V])] =
    rdd.mapPartitions(
      pairs => new Spans[(K, V), K](pairs, _._1).map { case (key, group) => (key, group.map(_._2)) },
      preservesPartitioning = true)
}
