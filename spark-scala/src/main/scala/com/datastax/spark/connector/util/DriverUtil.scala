package com.datastax.spark.connector.util

import com.datastax.oss.driver.api.core.metadata.Node

import java.net.InetSocketAddress

/** What the driver knows, for Scala. Stateless. */
object DriverUtil {

  /** By which the driver connects to a node; None if it is no address. */
  def toAddress(node: Node): Option[InetSocketAddress] = Some(node.getEndPoint.resolve).collect { case address: InetSocketAddress => address }
}
