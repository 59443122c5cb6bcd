package com.datastax.spark.connector.writer

import com.datastax.oss.driver.api.core.`type`.DataType
import com.datastax.spark.connector.cql.TableDef
import com.datastax.spark.connector.mapper.{ColumnMapper, Properties}
import com.datastax.spark.connector.types.{CassandraOption, ToCassandra}
import com.datastax.spark.connector.{CassandraRow, CassandraRowMetadata, ColumnRef, ColumnSelector}
import io.overdrive.spark.write.ObjectFields
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

import java.lang.reflect.Method
import scala.annotation.implicitNotFound
import scala.reflect.ClassTag

/**
 * Reads those values of an object that are written. Immutable; travels to executors.
 *
 * @tparam T the objects
 */
trait RowWriter[T] extends Serializable {

  /** The columns that the values go into. */
  def columnNames: Seq[String]

  /** @param buffer receives the values, in the order of `columnNames` */
  def readColumnValues(data: T, buffer: Array[Any]): Unit

  /** The source of each column's value: two writers with the same properties read the same values. */
  private[connector] def properties: IndexedSeq[String] = columnNames.map(name => s"$name of $this").toIndexedSeq
}

private[connector] object RowWriter {

  /**
   * Reads the columns of keys: without one of them, a key would name more rows than the user means.
   *
   * @throws IllegalArgumentException if the rows do not have a value for one of them
   */
  def ofKeys[T](factory: RowWriterFactory[T], table: TableDef, columns: ColumnSelector): RowWriter[T] = {
    val selected = columns.selectFrom(table)
    val writer = factory.rowWriter(table, selected)
    requireColumns(writer, table, selected)
    writer
  }

  /** Which of these columns need no value in a row: all columns of the table, if all of them are selected, as they are if the user names none. */
  def mayBeMissing(table: TableDef, selected: Seq[ColumnRef]): ColumnRef => Boolean = {
    val isAll = table.columns.forall(column => selected.exists(_.columnName == column.columnName))
    ref => isAll && ref.selectedAs == ref.columnName && table.columnByName.contains(ref.columnName)
  }

  /** @throws IllegalArgumentException if the rows do not have a value for one of these columns */
  def requireColumns(writer: RowWriter[_], table: TableDef, columns: Seq[ColumnRef]): Unit = {
    val left = columns.map(_.columnName).filterNot(name => writer.columnNames.contains(name))
    if (left.nonEmpty) {
      throw new IllegalArgumentException(
        s"[${table.keyspaceName}.${table.tableName}] the rows have no property for column ${left.map(name => s"\"$name\"").mkString(", ")}:" +
          " leave it out, or name its property, as in \"column\" as \"property\"")
    }
  }
}

/** Makes the RowWriter of a type. */
@implicitNotFound("No RowWriterFactory can be found for ${T}: rows to write are tuples, case classes, beans, CassandraRow or Row")
trait RowWriterFactory[T] extends Serializable {

  /**
   * @param selectedColumns that are written, followed by the names of properties with the time to live and the write time of each row
   * @throws IllegalArgumentException if the objects do not have a value for one of them
   */
  def rowWriter(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowWriter[T]
}

sealed trait LowPriorityRowWriterFactoryImplicits {
  implicit def defaultRowWriterFactory[T](implicit tag: ClassTag[T], mapper: ColumnMapper[T]): RowWriterFactory[T] =
    new RowWriterFactory[T] {
      override def rowWriter(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowWriter[T] =
        if (tag.runtimeClass.getName.matches("scala\\.Tuple\\d+.*")) {
          new TupleWriter[T](table, selectedColumns, tag.runtimeClass)
        } else {
          new PropertyWriter[T](table, selectedColumns, tag.runtimeClass, mapper.columnNameOverride)
        }
    }
}

object RowWriterFactory extends LowPriorityRowWriterFactoryImplicits {

  /** Values by the names of columns. */
  implicit val genericRowWriterFactory: RowWriterFactory[CassandraRow] = new RowWriterFactory[CassandraRow] {
    override def rowWriter(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowWriter[CassandraRow] =
      new NamedWriter[CassandraRow, CassandraRowMetadata](
        table,
        selectedColumns,
        isOrdered = false,
        _.metaData,
        _.metaData.columnNames,
        _.getRaw(_))
  }

  /** Values by the names of columns; or else, if there are as many, in the order of columns. */
  implicit def sqlRowWriterFactory[T <: Row]: RowWriterFactory[T] = new RowWriterFactory[T] {
    override def rowWriter(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowWriter[T] =
      new NamedWriter[T, StructType](
        table,
        selectedColumns,
        isOrdered = true,
        _.schema,
        row => if (row.schema == null) Seq.fill(row.length)("") else row.schema.fieldNames.toSeq,
        _.get(_))
  }
}

/**
 * A row that lacks a column leaves it as it is, if the user has named no columns.
 *
 * @param isOrdered whether names are not needed, if there are as many values as columns
 * @param metadata names of a row's values, the same object for many rows; null if they have none
 * @tparam M the metadata
 */
private final class NamedWriter[T, M <: AnyRef](
  @transient table: TableDef,
  selected: IndexedSeq[ColumnRef],
  isOrdered: Boolean,
  metadata: T => M,
  namesOf: T => Seq[String],
  get: (T, Int) => Any) extends RowWriter[T] {
  private val tableName = s"${table.keyspaceName}.${table.tableName}"
  private val names = selected.map(_.selectedAs).toArray
  private val mayBeMissing = selected.map(RowWriter.mayBeMissing(table, selected)).toArray

  /** The metadata of the last row, and where its values are. */
  @transient @volatile private var last: (M, Array[Int]) = _

  override val columnNames: Seq[String] = selected.map(_.columnName)

  override private[connector] def properties: IndexedSeq[String] = names.toIndexedSeq

  override def readColumnValues(data: T, buffer: Array[Any]): Unit = {
    val found = indexes(data)
    var i = 0
    while (i < found.length) {
      buffer(i) = if (found(i) < 0) CassandraOption.Unset else get(data, found(i))
      i += 1
    }
  }

  private def indexes(data: T): Array[Int] = {
    val of = metadata(data)
    val known = last
    if (of != null && known != null && (known._1 eq of)) known._2
    else {
      val found = find(namesOf(data))
      last = (of, found)
      found
    }
  }

  /** @throws IllegalArgumentException if a value would not be written because of its name, or one of several that have the same name */
  private def find(present: Seq[String]): Array[Int] = {
    names.find(name => present.indexOf(name) != present.lastIndexOf(name)).foreach { name =>
      throw new IllegalArgumentException(
        s"[$tableName] a row has several values for \"$name\"; it has ${quoted(present)}: rename or drop all but one of them")
    }
    val byName = names.map(present.indexOf(_))
    val missing = names.indices.filter(byName(_) < 0)
    val others = present.filterNot(names.contains(_))
    val isInOrder = isOrdered && present.size == names.length && names.indices.forall(i => byName(i) < 0 || byName(i) == i)
    if (missing.isEmpty) byName
    else if (isInOrder) names.indices.toArray
    else if (others.isEmpty && missing.forall(mayBeMissing(_))) byName
    else
      throw new IllegalArgumentException(
        s"[$tableName] a row has no value for column ${quoted(missing.map(names(_)))}; it has ${quoted(present)}: rename its values, or" +
          " name the columns to write with SomeColumns")
  }

  private def quoted(names: Seq[String]): String = names.map(name => s"\"$name\"").mkString(", ")
}

/** Components in the order of the columns, or those that aliases name: `_1`, `_2` and so on. */
private[connector] final class TupleWriter[T](@transient table: TableDef, selected: IndexedSeq[ColumnRef], ofClass: Class[_]) extends RowWriter[T] {
  private val arity = ofClass.getName.replaceFirst("scala\\.Tuple(\\d+).*", "$1").toInt

  private val problem =
    s"[${table.keyspaceName}.${table.tableName}] rows are tuples of $arity components, which do not fit ${selected.size} columns, " +
      s"${selected.map(_.columnName).mkString(", ")}: name as many columns with SomeColumns, or the component of each column, as in" +
      " \"column\" as \"_1\""

  /** Names of times are properties themselves. */
  private val isByOrder =
    selected.forall(ref => ref.selectedAs == ref.columnName && !TupleWriter.Component.matches(ref.selectedAs))

  private val components: Array[Int] =
    if (isByOrder) {
      if (selected.size > arity) {
        throw unfit()
      }
      selected.indices.toArray
    } else {
      selected.map {
        _.selectedAs match {
          case TupleWriter.Component(number) if number.toInt >= 1 && number.toInt <= arity => number.toInt - 1
          case other =>
            throw new IllegalArgumentException(
              s"[${table.keyspaceName}.${table.tableName}] rows are tuples of $arity components, and $other is none of them: name the" +
                " components of all columns, as in \"column\" as \"_1\", or of none")
        }
      }.toArray
    }

  override val columnNames: Seq[String] = selected.map(_.columnName)

  override private[connector] def properties: IndexedSeq[String] = components.map(index => s"_${index + 1}").toIndexedSeq

  private def unfit() = new IllegalArgumentException(problem)

  /** @throws IllegalArgumentException if a component belongs to no column, and so would not be written */
  def requireAll(): Unit =
    if (isByOrder && components.length < arity) {
      throw unfit()
    }

  override def readColumnValues(data: T, buffer: Array[Any]): Unit = {
    val tuple = data.asInstanceOf[Product]
    var i = 0
    while (i < components.length) {
      buffer(i) = tuple.productElement(components(i))
      i += 1
    }
  }
}

private object TupleWriter {
  val Component = "_(\\d+)".r
}

/** Properties by the names of columns. */
private final class PropertyWriter[T](
  @transient table: TableDef,
  selected: IndexedSeq[ColumnRef],
  ofClass: Class[_],
  columnOfProperty: Map[String, String]) extends RowWriter[T] {

  /** All columns are selected if the user has named none: those without a property are not written. */
  private val written: IndexedSeq[ColumnRef] = {
    val found = selected.filter(ref => methodOf(ref).isDefined)
    val missing = selected.filterNot(found.contains)
    val used = found.map(methodOf(_).get)
    val properties = Properties.of(ofClass)
    val unused = properties.names.filterNot(name => properties.find(name).exists(used.contains)).toSeq.sorted
    val mayBeMissing = RowWriter.mayBeMissing(table, selected)
    if (found.isEmpty || missing.exists(!mayBeMissing(_)) || (missing.nonEmpty && unused.nonEmpty)) {
      throw new IllegalArgumentException(
        s"[${table.keyspaceName}.${table.tableName}] ${ofClass.getSimpleName} has no property for " +
          s"${missing.map(ref => s"\"${ref.selectedAs}\"").mkString(", ")}" +
          (if (unused.isEmpty) "" else s", and no column has its ${unused.mkString(", ")}") +
          ": a property has the name of its column, or one that is given for it, as in \"column\" as \"property\"; or name the columns to" +
          " write with SomeColumns")
    }
    found
  }

  @transient private lazy val methods: Array[Method] = written.map(methodOf(_).get).toArray

  private def methodOf(ref: ColumnRef): Option[Method] = {
    val overriding = columnOfProperty.collectFirst { case (property, column) if column == ref.columnName => property }
    Properties.of(ofClass).find(overriding.getOrElse(ref.selectedAs))
  }

  override val columnNames: Seq[String] = written.map(_.columnName)

  override private[connector] def properties: IndexedSeq[String] = methods.map(_.toString).toIndexedSeq

  override def readColumnValues(data: T, buffer: Array[Any]): Unit = {
    var i = 0
    while (i < methods.length) {
      buffer(i) = Properties.read(methods(i), data.asInstanceOf[AnyRef])
      i += 1
    }
  }
}

/** Fields of an object that the engine writes. */
private[connector] final class Fields[T](writer: RowWriter[T]) extends ObjectFields[T] {
  override def read(row: T, fields: Array[AnyRef]): Unit = writer.readColumnValues(row, fields.asInstanceOf[Array[Any]])

  override def convert(value: Any, to: DataType): AnyRef = ToCassandra.convert(value, to)

  override def writeTime(value: Any): java.lang.Long = ToCassandra.writeTime(value)

  override def timeToLive(value: Any): Integer = ToCassandra.timeToLive(value)
}
