package io.overdrive.spark.config

import com.datastax.spark.connector.cql.DefaultAuthConfFactory
import io.overdrive.spark.config.Setting.Kind

import scala.jdk.CollectionConverters._

/** Settings for tests. In this package because only it sees their kinds. */
object SettingSamples {

  /** All names in a session. */
  def names(setting: Setting): Seq[String] = setting.names.asScala.toSeq

  /** A value that is not the default. */
  def value(setting: Setting): String = setting.kind match {
    case _ if setting == Setting.AUTH_FACTORY => DefaultAuthConfFactory.getClass.getName
    case Kind.TEXT | Kind.SECRET => "some"
    case Kind.FLAG => String.valueOf(!java.lang.Boolean.parseBoolean(setting.defaultValue))
    case Kind.NUMBER | Kind.MILLIS | Kind.SECONDS | Kind.PORT => "1777"
    case Kind.CONSISTENCY => "TWO"
    case Kind.SWITCH => "off"
    case Kind.RATE | Kind.RATIO => "0.3"
    case Kind.GROUPING => "none"
    case Kind.DISTRIBUTION => "none"
    case Kind.IN_FLIGHT_CONTROL => "fixed"
    case Kind.GUARD => "1.2x"
    case Kind.COMPRESSION => "lz4"
  }
}
