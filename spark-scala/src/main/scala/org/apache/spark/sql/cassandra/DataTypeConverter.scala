package org.apache.spark.sql.cassandra

import com.datastax.spark.connector.cql.ColumnDef
import com.datastax.spark.connector.types.ColumnType
import io.overdrive.spark.cell.SparkTypes
import org.apache.spark.sql.types.{DataType, StructField}

/** Spark's types of CQL types, as DataFrames have them. Stateless. */
object DataTypeConverter {
  def catalystDataType(cassandraType: ColumnType[_]): DataType = SparkTypes.`type`(cassandraType.dataType)

  def toStructField(column: ColumnDef): StructField =
    StructField(column.columnName, catalystDataType(column.columnType), nullable = !column.isPrimaryKeyColumn)
}
