package com.datastax.spark.connector.japi;

import com.datastax.spark.connector.rdd.reader.JavaReaders;
import com.datastax.spark.connector.rdd.reader.RowReaderFactory;

/** Rows as they are, for a join. Stateless. */
public final class GenericJavaRowReaderFactory {
    public static final RowReaderFactory<CassandraRow> instance = JavaReaders.rows();

    private GenericJavaRowReaderFactory() {}
}
