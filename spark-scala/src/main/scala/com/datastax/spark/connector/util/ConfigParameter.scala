package com.datastax.spark.connector.util

import io.overdrive.spark.config.Settings

/**
 * A setting under the name that the connector for Spark 3 has for it, or a program's own. Immutable.
 *
 * @param name as in the configuration of an application, a session, a read or a write
 * @param default the value without the setting; None for none
 * @param section of a page on settings
 */
final class ConfigParameter[T](val name: String, val default: T, val section: String = "", val description: String = "") extends Serializable {

  /** A setting for `options` of a read or a write, and for `setCassandraConf`. */
  def option(value: Any): Map[String, String] = {
    require(value != null, s"the value of $name is null: leave the setting out for its default")
    Map(name -> value.toString)
  }

  /** The same. */
  def sqlOption(value: Any): Map[String, String] = option(value)

  override def toString: String = name
}

object ConfigParameter {

  /** @param name without the prefix of the connector for Spark 3 */
  private[connector] def of[T](name: String, default: T): ConfigParameter[T] = new ConfigParameter("spark.cassandra." + name, default)

  /** A setting of a program, which is then no unknown one any more. */
  def apply[T](name: String, section: String, default: T, description: String): ConfigParameter[T] = {
    Settings.register(name)
    new ConfigParameter(name, default, section, description)
  }
}
