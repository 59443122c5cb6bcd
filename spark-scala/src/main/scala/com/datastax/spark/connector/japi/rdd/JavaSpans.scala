package com.datastax.spark.connector.japi.rdd

import com.datastax.spark.connector.PairRDDFunctions
import com.datastax.spark.connector.rdd.Spans
import org.apache.spark.api.java.JavaPairRDD
import org.apache.spark.api.java.function.{Function => JFunction}
import org.apache.spark.rdd.RDD

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

/** Groups of adjacent elements as collections of Java. Stateless. */
private[japi] object JavaSpans {
  def by[T, K](rdd: RDD[T], f: JFunction[T, K], tagOfKey: ClassTag[K]): JavaPairRDD[K, java.lang.Iterable[T]] =
    new JavaPairRDD[K, java.lang.Iterable[T]](
      rdd.mapPartitions(new Spans[T, K](_, f.call).map { case (key, group) => (key, group.asJava: java.lang.Iterable[T]) }))(
      tagOfKey,
      implicitly)

  def byKey[K, V](rdd: RDD[(K, V)], tagOfKey: ClassTag[K]): JavaPairRDD[K, java.util.Collection[V]] =
    new JavaPairRDD[K, java.util.Collection[V]](
      new PairRDDFunctions(rdd).spanByKey.mapPartitions(
        _.map { case (key, group) => (key, group.asJava: java.util.Collection[V]) },
        preservesPartitioning = true))(tagOfKey, implicitly)
}
