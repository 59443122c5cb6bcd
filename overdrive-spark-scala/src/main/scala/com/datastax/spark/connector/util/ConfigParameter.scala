package com.datastax.spark.connector.util

/**
 * A setting under the name that the connector for Spark 3 has for it. Immutable.
 *
 * @param name as in the configuration of an application, a session, a read or a write
 */
final class ConfigParameter private[connector] (val name: String) extends Serializable {

  /** For `options` of a read or a write, and for `setCassandraConf`. */
  def option(value: Any): Map[String, String] = {
    require(value != null, s"the value of $name is null: leave the setting out for its default")
    Map(name -> value.toString)
  }

  override def toString: String = name
}

object ConfigParameter {

  /** @param name without the prefix of the connector for Spark 3 */
  def apply(name: String): ConfigParameter = new ConfigParameter("spark.cassandra." + name)
}
