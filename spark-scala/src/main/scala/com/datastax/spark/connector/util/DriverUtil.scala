package com.datastax.spark.connector.util

import com.datastax.oss.driver.api.core.metadata.Node

import java.net.InetSocketAddress

/** Metadata of the driver for Scala. Stateless. */
object DriverUtil {

  /** The address with which the driver connects to a node; None if it is no address. */
  def toAddress(node: Node): Option[InetSocketAddress] = Some(node.getEndPoint.resolve).collect { case address: InetSocketAddress => address }
}
