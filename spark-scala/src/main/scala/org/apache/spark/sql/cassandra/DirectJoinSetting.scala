package org.apache.spark.sql.cassandra

/**
 * Whether joins with a table look up its keys instead of reading it.
 *
 * @param option as the setting `directJoin` has it
 */
sealed abstract class DirectJoinSetting(val option: String) extends Serializable

/** Wherever the condition of the join has the whole partition key. */
case object AlwaysOn extends DirectJoinSetting("on")

/** Never. */
case object AlwaysOff extends DirectJoinSetting("off")

/** If Spark estimates that it costs less. */
case object Automatic extends DirectJoinSetting("auto")
