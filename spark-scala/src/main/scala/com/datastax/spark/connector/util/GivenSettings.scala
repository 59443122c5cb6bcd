package com.datastax.spark.connector.util

import io.overdrive.spark.config.{Setting, Settings}

import scala.jdk.CollectionConverters._

/**
 * The settings that a configuration gave to fields which otherwise leave them to the application. Equal to any other, as the values of
 * fields say what they mean. Immutable.
 */
private[connector] final class ReadSettings(private val read: Set[Setting]) extends Serializable {

  /** Settings that no field has any more, so that those of the application do not count either. */
  def without(fields: Set[Setting]): Set[Setting] = read -- fields

  override def equals(other: Any): Boolean = other.isInstanceOf[ReadSettings]

  override def hashCode: Int = 0
}

private[connector] object ReadSettings {
  val None = new ReadSettings(Set.empty)
}

/** Settings under the names and with the values that they were given. Stateless. */
private[connector] object GivenSettings {

  /**
   * Settings that an object with fields has to carry, so that none is lost: settings that no field has, and limits that
   * were not given for each core.
   *
   * @param fields whose values mean the same whatever their name is
   * @param limits fields with the unit of the connector for Spark 3
   */
  def carried(settings: Settings, belongs: Setting => Boolean, fields: Set[Setting], limits: Set[Setting]): Map[Setting, (String, String)] =
    settings.given.asScala.iterator.collect {
      case (setting, given)
          if belongs(setting) && !fields(setting) && !(limits(setting) && settings.findAsInSpark3(setting) != null) =>
        setting -> (given.getKey, given.getValue)
    }.toMap

  /** The settings as options of a DataFrame. */
  def options(carried: Map[Setting, (String, String)]): Map[String, String] = carried.values.toMap
}
