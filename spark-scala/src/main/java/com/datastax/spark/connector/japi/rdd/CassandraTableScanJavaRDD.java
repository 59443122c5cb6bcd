package com.datastax.spark.connector.japi.rdd;

import com.datastax.spark.connector.AllColumns$;
import com.datastax.spark.connector.ColumnRef;
import com.datastax.spark.connector.ColumnSelector;
import com.datastax.spark.connector.SomeColumns;
import com.datastax.spark.connector.cql.CassandraConnector;
import com.datastax.spark.connector.japi.CassandraJavaUtil;
import com.datastax.spark.connector.rdd.CassandraRDD;
import com.datastax.spark.connector.rdd.CassandraTableScanRDD;
import com.datastax.spark.connector.rdd.ReadConf;
import com.datastax.spark.connector.rdd.reader.RowReaderFactory;
import com.datastax.spark.connector.writer.RowWriterFactory;

/**
 * Rows of a table, for Java, which can be given keys.
 *
 * @param <R> the rows
 */
public final class CassandraTableScanJavaRDD<R> extends CassandraJavaRDD<R> {
    public CassandraTableScanJavaRDD(CassandraTableScanRDD<R> rdd) {
        super(rdd);
    }

    @SuppressWarnings("unchecked") // a changed read of a table is one
    private CassandraTableScanJavaRDD<R> of(CassandraRDD<?> changed) {
        return new CassandraTableScanJavaRDD<>((CassandraTableScanRDD<R>) changed);
    }

    @Override
    public CassandraTableScanJavaRDD<R> select(String... columnNames) {
        return select(CassandraJavaUtil.toSelectableColumnRefs(columnNames));
    }

    @Override
    public CassandraTableScanJavaRDD<R> select(ColumnRef... columns) {
        return of(rdd().select(JavaArguments.of(columns)));
    }

    @Override
    public CassandraTableScanJavaRDD<R> where(String cqlWhereClause, Object... arguments) {
        return of(rdd().where(cqlWhereClause, JavaArguments.of(arguments)));
    }

    @Override
    public CassandraTableScanJavaRDD<R> withAscOrder() {
        return of(rdd().withAscOrder());
    }

    @Override
    public CassandraTableScanJavaRDD<R> withDescOrder() {
        return of(rdd().withDescOrder());
    }

    @Override
    public CassandraTableScanJavaRDD<R> limit(Long rowsNumber) {
        return of(rdd().limit(rowsNumber));
    }

    @Override
    public CassandraTableScanJavaRDD<R> perPartitionLimit(Long rowsNumber) {
        return of(rdd().perPartitionLimit(rowsNumber));
    }

    @Override
    public CassandraTableScanJavaRDD<R> withConnector(CassandraConnector connector) {
        return of(rdd().withConnector(connector));
    }

    @Override
    public CassandraTableScanJavaRDD<R> withReadConf(ReadConf config) {
        return of(rdd().withReadConf(config));
    }

    /**
     * Each row with its key, which consists of these columns; without any, of all columns for which a key has properties.
     *
     * @param rwf for the partitioner, if the key has the whole partition key
     */
    public <K> CassandraJavaPairRDD<K, R> keyBy(
            RowReaderFactory<K> rrf, RowWriterFactory<K> rwf, Class<K> keyClass, ColumnRef... columns) {
        ColumnSelector key = columns.length == 0 ? AllColumns$.MODULE$ : new SomeColumns(JavaArguments.of(columns));
        return new CassandraJavaPairRDD<>(rdd().keyBy(key, CassandraJavaUtil.safeClassTag(keyClass), rrf, rwf));
    }

    /** As {@link #keyBy(RowReaderFactory, RowWriterFactory, Class, ColumnRef...)}. */
    public <K> CassandraJavaPairRDD<K, R> keyBy(
            RowReaderFactory<K> rrf, RowWriterFactory<K> rwf, Class<K> keyClass, String column, String... columns) {
        String[] all = new String[columns.length + 1];
        all[0] = column;
        System.arraycopy(columns, 0, all, 1, columns.length);
        return keyBy(rrf, rwf, keyClass, CassandraJavaUtil.toSelectableColumnRefs(all));
    }

    /**
     * Each row with its key, in the Spark partitions of another RDD, so that joins with it need no shuffle.
     *
     * @throws IllegalArgumentException if this is not possible: keys must have the same properties and types in both
     */
    public <K> CassandraJavaPairRDD<K, R> keyAndApplyPartitionerFrom(
            RowReaderFactory<K> rrf, RowWriterFactory<K> rwf, Class<K> keyClass, CassandraJavaPairRDD<K, ?> other) {
        return new CassandraJavaPairRDD<>(rdd().keyByAs(
                        AllColumns$.MODULE$,
                        other.rdd().partitioner(),
                        CassandraJavaUtil.safeClassTag(keyClass),
                        rrf,
                        rwf));
    }
}
