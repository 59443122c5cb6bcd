package com.datastax.spark.connector.japi.rdd;

import com.datastax.spark.connector.ColumnRef;
import com.datastax.spark.connector.cql.CassandraConnector;
import com.datastax.spark.connector.japi.CassandraJavaUtil;
import com.datastax.spark.connector.rdd.CassandraRDD;
import com.datastax.spark.connector.rdd.CassandraTableScanRDD;
import com.datastax.spark.connector.rdd.ReadConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function;
import scala.reflect.ClassTag;

/**
 * Rows of a table, for Java. Lazy: sends no request before Spark needs partitions.
 *
 * @param <R> the rows
 */
public class CassandraJavaRDD<R> extends JavaRDD<R> {
    CassandraJavaRDD(CassandraTableScanRDD<R> rdd) {
        super(rdd, rdd.elementClassTag());
    }

    @Override
    public CassandraTableScanRDD<R> rdd() {
        return (CassandraTableScanRDD<R>) super.rdd();
    }

    @SuppressWarnings("unchecked") // a changed read of a table is one
    private CassandraJavaRDD<R> of(CassandraRDD<?> changed) {
        return new CassandraTableScanJavaRDD<>((CassandraTableScanRDD<R>) changed);
    }

    /** Only these columns of rows. */
    public CassandraJavaRDD<R> select(String... columnNames) {
        return select(CassandraJavaUtil.toSelectableColumnRefs(columnNames));
    }

    /** Only these columns of rows. */
    public CassandraJavaRDD<R> select(ColumnRef... columns) {
        return of(rdd().select(JavaArguments.of(columns)));
    }

    /** Only rows that meet these conditions, which the servers evaluate; the arguments are the values of their markers. */
    public CassandraJavaRDD<R> where(String cqlWhereClause, Object... arguments) {
        return of(rdd().where(cqlWhereClause, JavaArguments.of(arguments)));
    }

    /** The order of the rows of partitions that {@code where} names. */
    public CassandraJavaRDD<R> withAscOrder() {
        return of(rdd().withAscOrder());
    }

    /** The opposite order. */
    public CassandraJavaRDD<R> withDescOrder() {
        return of(rdd().withDescOrder());
    }

    /** Limits the rows of each Spark partition. */
    public CassandraJavaRDD<R> limit(Long rowsNumber) {
        return of(rdd().limit(rowsNumber));
    }

    /** Limits the rows of each partition of the table. */
    public CassandraJavaRDD<R> perPartitionLimit(Long rowsNumber) {
        return of(rdd().perPartitionLimit(rowsNumber));
    }

    /** The same, from another cluster. */
    public CassandraJavaRDD<R> withConnector(CassandraConnector connector) {
        return of(rdd().withConnector(connector));
    }

    /** The same, read in another way. */
    public CassandraJavaRDD<R> withReadConf(ReadConf config) {
        return of(rdd().withReadConf(config));
    }

    /** Names of the selected columns and values. */
    public String[] selectedColumnNames() {
        return JavaArguments.names(rdd().selectedColumnNames());
    }

    /** Groups adjacent rows by the result of a function, without a shuffle. */
    public <K> JavaPairRDD<K, Iterable<R>> spanBy(Function<R, K> f, ClassTag<K> keyClassTag) {
        return JavaSpans.by(rdd(), f, keyClassTag);
    }

    /** Groups adjacent rows by the result of a function, without a shuffle. */
    public <K> JavaPairRDD<K, Iterable<R>> spanBy(Function<R, K> f, Class<K> keyClass) {
        return spanBy(f, CassandraJavaUtil.safeClassTag(keyClass));
    }

    /** The number of rows, counted by the servers where that is possible. */
    public long cassandraCount() {
        return rdd().cassandraCount();
    }
}
