package com.datastax.spark.connector.rdd

import scala.collection.mutable.ArrayBuffer

/**
 * Adjacent elements with the same key as one group, in their order. Keeps one group in memory. Confined to one thread.
 *
 * @param keyOf the key of an element
 */
private[connector] final class Spans[T, K](elements: Iterator[T], keyOf: T => K) extends Iterator[(K, Seq[T])] {
  private val from = elements.buffered

  override def hasNext: Boolean = from.hasNext

  override def next(): (K, Seq[T]) = {
    val key = keyOf(from.head)
    val group = ArrayBuffer.empty[T]
    while (from.hasNext && keyOf(from.head) == key) {
      group += from.next()
    }
    (key, group.toSeq)
  }
}
