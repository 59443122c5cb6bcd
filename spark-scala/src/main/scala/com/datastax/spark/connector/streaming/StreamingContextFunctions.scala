package com.datastax.spark.connector.streaming

import com.datastax.spark.connector.SparkContextFunctions
import org.apache.spark.streaming.StreamingContext

/** Reads in addition to streams. */
class StreamingContextFunctions(ssc: StreamingContext) extends SparkContextFunctions(ssc.sparkContext)
