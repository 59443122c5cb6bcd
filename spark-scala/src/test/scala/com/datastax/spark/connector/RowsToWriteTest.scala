package com.datastax.spark.connector

import com.datastax.spark.connector.cql.{ColumnDef, PartitionKeyColumn, RegularColumn, TableDef}
import com.datastax.spark.connector.types.{CassandraOption, IntType, TextType}
import com.datastax.spark.connector.writer.RowWriterFactory
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Test

case class Priced(id: Int, price: Int)
case class Mistyped(id: Int, pirce: Int)
case class OnlyId(id: Int)

/** Which value of an object goes into which column. */
class RowsToWriteTest {
  private val table = TableDef(
    "shop",
    "orders",
    Seq(ColumnDef("id", PartitionKeyColumn, IntType)),
    Seq.empty,
    Seq(ColumnDef("note", RegularColumn, TextType), ColumnDef("price", RegularColumn, IntType)))

  private def values[T](rows: T*)(columns: ColumnRef*)(implicit factory: RowWriterFactory[T]): Seq[Map[String, Any]] = {
    val writer = factory.rowWriter(table, if (columns.isEmpty) AllColumns.selectFrom(table) else columns.toIndexedSeq)
    rows.map { row =>
      val buffer = new Array[Any](writer.columnNames.size)
      writer.readColumnValues(row, buffer)
      writer.columnNames.zip(buffer).toMap
    }
  }

  private def row(names: String*)(values: Any*): Row =
    new GenericRowWithSchema(values.toArray, names.foldLeft(new StructType)((schema, name) => schema.add(name, IntegerType)))

  @Test
  def rowsOfSparkAreMatchedByName(): Unit = {
    assertThat(values(row("price", "id")(7, 1))("id", "price")).isEqualTo(Seq(Map("id" -> 1, "price" -> 7)))
    assertThat(values(row("price", "id", "other")(7, 1, 3))("id", "price")).isEqualTo(Seq(Map("id" -> 1, "price" -> 7)))
    assertThat(values(row("price", "id")(7, 1))()).isEqualTo(Seq(Map("id" -> 1, "note" -> CassandraOption.Unset, "price" -> 7)))
  }

  @Test
  def rowsOfSparkWithOtherNamesAreInTheOrderOfColumns(): Unit = {
    assertThat(values(row("id", "(price * 2)")(1, 14))("id", "price")).isEqualTo(Seq(Map("id" -> 1, "price" -> 14)))
    assertThat(values[Row](Row(1, 14))("id", "price")).isEqualTo(Seq(Map("id" -> 1, "price" -> 14)))
    assertThat(values(row("a", "b", "c")(1, 2, 3))()).isEqualTo(Seq(Map("id" -> 1, "note" -> 2, "price" -> 3)))
    assertThat(values(row("id", "x")(1, 14), row("id", "price")(2, 3), row("price", "id")(4, 5))("id", "price").map(_("price")))
      .isEqualTo(Seq(14, 3, 4))
  }

  @Test
  def noValueOfARowIsLeftOutBecauseOfItsName(): Unit = {
    assertThatThrownBy(() => values(row("id", "pirce")(1, 7))())
      .isInstanceOf(classOf[IllegalArgumentException])
      .hasMessage(
        "[shop.orders] a row has no value for column \"note\", \"price\"; it has \"id\", \"pirce\": rename its values, or name the columns" +
          " to write with SomeColumns")
    assertThatThrownBy(() => values(row("pirce", "id")(7, 1))("id", "price")).hasMessageContaining("no value for column \"price\"")
    assertThatThrownBy(() => values[Row](Row(1))("id", "price")).hasMessageContaining("no value for column \"id\", \"price\"")
    assertThatThrownBy(() => values(row("id")(1))("id", "price")).hasMessageContaining("no value for column \"price\"")
    val read = CassandraRow.fromMap(Map("id" -> 1, "pirce" -> 7))
    assertThatThrownBy(() => values(read)()).hasMessageContaining("it has \"id\", \"pirce\"")
    assertThatThrownBy(() => values(read)("id", "price")).hasMessageContaining("no value for column \"price\"")
    assertThat(values(read)("id", "price" as "pirce")).isEqualTo(Seq(Map("id" -> 1, "price" -> 7)))
    assertThat(values(CassandraRow.fromMap(Map("id" -> 1)))()).isEqualTo(
      Seq(Map("id" -> 1, "note" -> CassandraOption.Unset, "price" -> CassandraOption.Unset)))
  }

  /** The row comes from a join whose sides both have the column. */
  @Test
  def aRowWithTwoValuesForAColumnIsRefused(): Unit = {
    assertThatThrownBy(() => values(row("id", "price", "price")(1, 7, 8))("id", "price"))
      .isInstanceOf(classOf[IllegalArgumentException])
      .hasMessage(
        "[shop.orders] a row has several values for \"price\"; it has \"id\", \"price\", \"price\": rename or drop all but one of them")
    assertThatThrownBy(() => values(row("id", "note", "price", "note")(1, 2, 3, 4))()).hasMessageContaining("several values for \"note\"")
    assertThatThrownBy(() => values(row("id", "id")(1, 2))("id", "price")).hasMessageContaining("several values for \"id\"")
    assertThatThrownBy(() => values(row("id", "x", "x")(1, 2, 3))("id", "price" as "x")).hasMessageContaining("several values for \"x\"")
    val twice = new CassandraRow(IndexedSeq("id", "price", "price"), IndexedSeq[AnyRef](Int.box(1), Int.box(7), Int.box(8)))
    assertThatThrownBy(() => values(twice)("id", "price")).hasMessageContaining("several values for \"price\"")
    assertThat(values(row("id", "price", "other", "other")(1, 7, 2, 3))("id", "price")).isEqualTo(Seq(Map("id" -> 1, "price" -> 7)))
  }

  @Test
  def noPropertyIsLeftOutWhileAColumnHasNone(): Unit = {
    assertThat(values(Priced(1, 7))()).isEqualTo(Seq(Map("id" -> 1, "price" -> 7)))
    assertThat(values(OnlyId(1))()).isEqualTo(Seq(Map("id" -> 1)))
    assertThat(values(Mistyped(1, 7))("id")).isEqualTo(Seq(Map("id" -> 1)))
    assertThatThrownBy(() => values(Mistyped(1, 7))())
      .isInstanceOf(classOf[IllegalArgumentException])
      .hasMessage(
        "[shop.orders] Mistyped has no property for \"note\", \"price\", and no column has its pirce: a property has the name of its column," +
          " or one that is given for it, as in \"column\" as \"property\"; or name the columns to write with SomeColumns")
  }
}
