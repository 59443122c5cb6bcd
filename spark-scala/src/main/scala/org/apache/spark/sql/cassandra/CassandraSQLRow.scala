package org.apache.spark.sql.cassandra

import com.datastax.oss.driver.api.core.data.CqlDuration
import com.datastax.spark.connector.cql.TableDef
import com.datastax.spark.connector.rdd.reader.{RowReader, RowReaderFactory}
import com.datastax.spark.connector.types.TypeConverter
import com.datastax.spark.connector.{CassandraRow, CassandraRowMetadata, ColumnRef, TupleValue, UDTValue}
import org.apache.spark.sql.Row

import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.net.InetAddress
import java.sql.{Date, Timestamp}
import java.time.{Instant, LocalDate, LocalTime}
import java.util.UUID
import scala.collection.immutable.ArraySeq

/**
 * A row of a table as one of Spark, for `createDataFrame` with the types of `DataTypeConverter`. Numbers are converted if they fit. Immutable.
 *
 * @param metaData names of the values
 */
final class CassandraSQLRow(val metaData: CassandraRowMetadata, val columnValues: IndexedSeq[AnyRef]) extends Row {
  override def length: Int = columnValues.size

  override def get(i: Int): Any = columnValues(i)

  override def copy(): Row = this

  /** Index of a column, by its name. */
  override def fieldIndex(name: String): Int = {
    val found = metaData.indexOf(name)
    require(found >= 0, s"there is no column \"$name\" among those that were read: ${metaData.columnNames.mkString(", ")}")
    found
  }

  /** The value as the row has it; null for null. */
  def getRaw(name: String): AnyRef = columnValues(fieldIndex(name))

  private def as[T](i: Int)(implicit converter: TypeConverter[T]): T = converter.convert(columnValues(i))

  override def getBoolean(i: Int): Boolean = as[Boolean](i)
  override def getByte(i: Int): Byte = as[Byte](i)
  override def getShort(i: Int): Short = as[Short](i)
  override def getInt(i: Int): Int = as[Int](i)
  override def getLong(i: Int): Long = as[Long](i)
  override def getFloat(i: Int): Float = as[Float](i)
  override def getDouble(i: Int): Double = as[Double](i)
}

object CassandraSQLRow {

  /** Reads rows as these. */
  implicit object CassandraSQLRowReader extends RowReaderFactory[CassandraSQLRow] {
    override def rowReader(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowReader[CassandraSQLRow] = {
      val rows = RowReaderFactory.GenericRows.rowReader(table, selectedColumns)
      new RowReader[CassandraSQLRow] {
        override def neededColumns: IndexedSeq[ColumnRef] = rows.neededColumns
        override def read(values: Array[AnyRef]): CassandraSQLRow = of(rows.read(values))
      }
    }
  }

  private def of(row: CassandraRow): CassandraSQLRow = new CassandraSQLRow(row.metaData, row.columnValues.map(toSparkSqlType))

  /** The value as Spark's rows have it. */
  def toSparkSqlType(value: Any): AnyRef = value match {
    case instant: Instant => Timestamp.from(instant)
    case date: LocalDate => Date.valueOf(date)
    case time: LocalTime => Long.box(time.toNanoOfDay)
    case number: BigInteger => new JBigDecimal(number)
    case uuid: UUID => uuid.toString
    case address: InetAddress => address.getHostAddress
    case duration: CqlDuration => duration.toString
    case map: collection.Map[_, _] => map.map { case (key, of) => toSparkSqlType(key) -> toSparkSqlType(of) }
    case some: Iterable[_] => ArraySeq.from(some.iterator.map(toSparkSqlType))
    case udt: UDTValue => Row.fromSeq(udt.columnValues.map(toSparkSqlType))
    case tuple: TupleValue => Row.fromSeq(tuple.columnValues.map(toSparkSqlType))
    case other => other.asInstanceOf[AnyRef]
  }
}
