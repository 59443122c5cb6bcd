package com.datastax.spark.connector.writer

import com.datastax.spark.connector.ColumnRef
import com.datastax.spark.connector.cql.TableDef
import org.apache.spark.sql.Row

object SqlRowWriter {

  /** Writes rows of Spark, as an RDD of them does without it. */
  object Factory extends RowWriterFactory[Row] {
    override def rowWriter(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowWriter[Row] =
      RowWriterFactory.sqlRowWriterFactory[Row].rowWriter(table, selectedColumns)
  }
}
