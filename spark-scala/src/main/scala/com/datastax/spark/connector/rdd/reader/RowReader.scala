package com.datastax.spark.connector.rdd.reader

import com.datastax.oss.driver.api.core.`type`.DataType
import com.datastax.spark.connector.cql.TableDef
import com.datastax.spark.connector.mapper.{ColumnMapper, ObjectMaker, Properties, Setter}
import com.datastax.spark.connector.types.{FromCassandra, TypeConverter}
import com.datastax.spark.connector.{CassandraRow, CassandraRowMetadata, ColumnName, ColumnRef, TupleValue}
import io.overdrive.RowCursor
import io.overdrive.internal.codec.CqlType

import scala.annotation.implicitNotFound
import scala.reflect.runtime.universe._

/**
 * Makes objects of rows. Immutable; travels to executors.
 *
 * @tparam T the objects
 */
trait RowReader[T] extends Serializable {

  /** The columns to read of a row, in the order in which `read` gets them. */
  def neededColumns: IndexedSeq[ColumnRef]

  /** @param values of the needed columns, as in a CassandraRow */
  def read(values: Array[AnyRef]): T
}

/** Makes the RowReader of a type. */
@implicitNotFound("No RowReaderFactory can be found for ${T}: rows are read as CassandraRow, tuples, case classes, beans or single values")
trait RowReaderFactory[T] extends Serializable {

  /**
   * @param selectedColumns that the user has selected, or all columns
   * @throws IllegalArgumentException if an object needs a column that is not among them
   */
  def rowReader(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowReader[T]
}

sealed trait LowPriorityRowReaderFactories {
  implicit def ofType[T](implicit tag: TypeTag[T], mapper: ColumnMapper[T]): RowReaderFactory[T] = new RowReaderFactory[T] {
    override def rowReader(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowReader[T] =
      RowReaders.of(tag.tpe.dealias, mapper, table, selectedColumns).asInstanceOf[RowReader[T]]
  }
}

object RowReaderFactory extends LowPriorityRowReaderFactories {

  /** Rows as they are: the type if the user names none. */
  implicit object GenericRows extends RowReaderFactory[CassandraRow] {
    override def rowReader(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowReader[CassandraRow] =
      new GenericReader(selectedColumns)
  }
}

private[reader] final class GenericReader(override val neededColumns: IndexedSeq[ColumnRef]) extends RowReader[CassandraRow] {
  private val metaData = CassandraRowMetadata(neededColumns.map(_.selectedAs))

  override def read(values: Array[AnyRef]): CassandraRow =
    new CassandraRow(metaData, scala.collection.immutable.ArraySeq.unsafeWrapArray(values.clone()))
}

private[reader] object RowReaders {
  def of(tpe: Type, mapper: ColumnMapper[_], table: TableDef, selected: IndexedSeq[ColumnRef]): RowReader[_] = {
    val name = s"[${table.keyspaceName}.${table.tableName}]"
    val symbol = tpe.typeSymbol
    def isScalar = try { TypeConverter.forType(tpe); true }
    catch { case _: IllegalArgumentException => false }
    if (symbol.fullName.matches("scala\\.Tuple\\d+")) {
      val size = tpe.typeArgs.size
      requireColumns(name, tpe.toString, size, selected)
      new ConstructorReader(selected.take(size), ObjectMaker.of(tpe), allowsNull = false)
    } else if (symbol.isClass && symbol.asClass.isCaseClass && !(tpe =:= typeOf[TupleValue])) {
      ofProperties(name, tpe, mapper, selected)
    } else if (isScalar) {
      new ValueReader(selected.take(1), TypeConverter.forType(tpe))
    } else {
      ofProperties(name, tpe, mapper, selected)
    }
  }

  /** @param name of the table, for messages */
  def requireColumns(name: String, of: String, columns: Int, selected: IndexedSeq[ColumnRef]): Unit =
    if (selected.size < columns) {
      throw new IllegalArgumentException(
        s"$name rows are read as $of, which needs $columns columns, and only ${selected.size} are selected: " +
          selected.map(_.selectedAs).mkString(", "))
    }

  /** The column of a property. */
  def find(property: String, mapper: ColumnMapper[_], selected: IndexedSeq[ColumnRef]): Option[ColumnRef] = {
    val wanted = mapper.columnNameOverride.getOrElse(property, property)
    selected.find(_.selectedAs == wanted).orElse(selected.find(_.selectedAs == Properties.underscored(wanted)))
  }

  private def columnOf(
    name: String,
    tpe: Type,
    property: String,
    mapper: ColumnMapper[_],
    selected: IndexedSeq[ColumnRef]): ColumnRef =
    find(property, mapper, selected).getOrElse(
      throw new IllegalArgumentException(
        s"$name rows are read as $tpe, and there is no column for its property $property among those selected: " +
          selected.map(_.selectedAs).mkString(", ") + s"; give it one with select(\"column\" as \"$property\")"))

  /** A reader that uses the constructor's parameters, if it has any, and the setters of the other columns. */
  private def ofProperties(name: String, tpe: Type, mapper: ColumnMapper[_], selected: IndexedSeq[ColumnRef]): RowReader[_] = {
    val maker = ObjectMaker.of(tpe)
    val parameters = maker.names.map(parameter => columnOf(name, tpe, parameter, mapper, selected))
    val all = for {
      (property, method) <- Setter.all(tpe)
      column <- find(property, mapper, selected) if !parameters.contains(column)
    } yield (column, method)
    val setters = all.distinctBy { case (column, _) => column } // a bean of Scala has two for each
    if (parameters.isEmpty && setters.isEmpty) {
      throw noProperty(name, tpe.toString)
    }
    new ConstructorReader(
      parameters ++ setters.map(_._1),
      maker,
      mapper.allowsNull,
      setters.map { case (_, method) => Setter.of(method, tpe) }.toArray)
  }

  def noProperty(name: String, of: String): IllegalArgumentException =
    new IllegalArgumentException(s"$name rows cannot be read as $of, which has no property for a column: name its columns, or use another class")
}

/** A single column. */
private[reader] final class ValueReader(override val neededColumns: IndexedSeq[ColumnRef], converter: TypeConverter[_]) extends RowReader[Any] {
  private val name = neededColumns.head.selectedAs

  override def read(values: Array[AnyRef]): Any = FromCassandra.named(name)(converter.convert(values(0)))
}

/**
 * Objects made by a constructor, and then by setters.
 *
 * @param neededColumns columns of the constructor's parameters, followed by columns of the setters
 * @param allowsNull whether setters take nulls; a property of a primitive type is then left as it is
 */
private[reader] final class ConstructorReader(
  override val neededColumns: IndexedSeq[ColumnRef],
  maker: ObjectMaker,
  allowsNull: Boolean,
  setters: Array[Setter] = Array.empty) extends RowReader[Any] {
  private val names = neededColumns.map(_.selectedAs).toArray
  private val parameters = maker.converters.size
  private val converters: Array[TypeConverter[_]] = (maker.converters ++ setters.map(_.converter)).toArray

  override def read(values: Array[AnyRef]): Any = {
    val arguments = new Array[AnyRef](parameters)
    var i = 0
    while (i < parameters) {
      arguments(i) = converted(values, i)
      i += 1
    }
    val made = maker.make(arguments)
    set(made.asInstanceOf[AnyRef], values)
    made
  }

  private def converted(values: Array[AnyRef], i: Int): AnyRef =
    try (if (i < parameters || !allowsNull) converters(i).convert(values(i)) else converters(i).convertOrNull(values(i))).asInstanceOf[AnyRef]
    catch {
      case e: Exception => FromCassandra.named(names(i))(throw e)
    }

  private def set(made: AnyRef, values: Array[AnyRef]): Unit = {
    var i = 0
    while (i < setters.length) {
      if (values(parameters + i) != null || !allowsNull || !setters(i).isOfPrimitive(made)) {
        setters(i).set(made, converted(values, parameters + i))
      }
      i += 1
    }
  }
}

/**
 * Decodes the columns of rows of the engine. Confined to one thread; on the hot path.
 *
 * @param emptyForNull for each of the first columns, whether it is a collection that is empty instead of null
 */
private[connector] final class CellReader(types: IndexedSeq[DataType], emptyForNull: IndexedSeq[Boolean]) {
  private val cqlTypes = types.map(CqlType.of).toArray

  private val ofNull: Array[AnyRef] = types.indices.map { i =>
    if (i < emptyForNull.size && emptyForNull(i)) CellReader.empty(cqlTypes(i)) else null
  }.toArray

  /** @param values receives the values of the first columns, as in a CassandraRow */
  def read(row: RowCursor, values: Array[AnyRef]): Unit = {
    var i = 0
    while (i < values.length) {
      values(i) = value(row, i)
      i += 1
    }
  }

  private def value(row: RowCursor, i: Int): AnyRef = {
    val length = row.length(i)
    cqlTypes(i) match {
      case _ if length < 0 => ofNull(i)
      case CqlType.TEXT | CqlType.ASCII => row.text(i)
      case CqlType.INT if length > 0 => Int.box(row.getInt(i))
      case CqlType.BIGINT | CqlType.COUNTER if length > 0 => Long.box(row.getLong(i))
      case CqlType.DOUBLE if length > 0 => Double.box(row.getDouble(i))
      case CqlType.FLOAT if length > 0 => Float.box(row.getFloat(i))
      case CqlType.BOOLEAN if length > 0 => Boolean.box(row.getBoolean(i))
      case _ => FromCassandra.value(row.get(i))
    }
  }
}

private object CellReader {
  private def empty(of: CqlType): AnyRef = of match {
    case CqlType.SET => Set.empty
    case CqlType.MAP => Map.empty
    case _ => Nil
  }
}
