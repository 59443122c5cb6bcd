package com.datastax.spark.connector.rdd

/**
 * Evidence that generic functions of the connector for Spark 3 require for the type that they read. Each type has one:
 * its RowReaderFactory decides whether rows can be read as it.
 */
trait ValidRDDType[T]

object ValidRDDType {
  private object Valid extends ValidRDDType[Any]

  implicit def ofType[T]: ValidRDDType[T] = Valid.asInstanceOf[ValidRDDType[T]]
}
