package com.datastax.spark.connector.rdd

import com.datastax.spark.connector._
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** The columns that a second select chooses among the columns of the first one. */
class SelectedColumnsTest {
  private val before: Seq[ColumnRef] = Seq("a", "b" as "x", "c".ttl, "d".writeTime as "time")

  private def narrowed(column: ColumnRef): Option[ColumnRef] = TableRead.narrowed(before, column)

  @Test
  def choosesByTheNameOfAColumnOrItsAlias(): Unit = {
    assertEquals(Some(ColumnName("a")), narrowed("a"))
    assertEquals(Some(ColumnName("b", Some("x"))), narrowed("x"))
    assertEquals(Some(ColumnName("b", Some("x"))), narrowed("b"))
    assertEquals(Some("c".ttl), narrowed("c".ttl))
    assertEquals(Some("d".writeTime as "time"), narrowed("time"))
    assertEquals(None, narrowed("e"))
    assertEquals(None, narrowed("c"))
    assertEquals(None, narrowed("e".ttl))
  }

  @Test
  def choosesTheTimesOfAColumn(): Unit = {
    assertEquals(Some("a".ttl), narrowed("a".ttl))
    assertEquals(Some("a".writeTime as "w"), narrowed("a".writeTime as "w"))
  }

  @Test
  def givesAnotherAlias(): Unit = {
    assertEquals(Some(ColumnName("a", Some("y"))), narrowed("a" as "y"))
    assertEquals(Some(ColumnName("b", Some("y"))), narrowed("x" as "y"))
    assertEquals(Some("d".writeTime as "y"), narrowed("time" as "y"))
  }
}
