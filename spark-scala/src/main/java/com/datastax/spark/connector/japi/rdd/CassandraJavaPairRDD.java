package com.datastax.spark.connector.japi.rdd;

import com.datastax.spark.connector.ColumnRef;
import com.datastax.spark.connector.cql.CassandraConnector;
import com.datastax.spark.connector.japi.CassandraJavaUtil;
import com.datastax.spark.connector.rdd.CassandraRDD;
import com.datastax.spark.connector.rdd.ReadConf;
import java.util.Collection;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.function.Function;
import scala.Tuple2;
import scala.reflect.ClassTag;

/**
 * Pairs that are made of the rows of a table, or rows with those that they name in a table, for Java.
 *
 * @param <K> the first of a pair
 * @param <V> the second of a pair
 */
public final class CassandraJavaPairRDD<K, V> extends JavaPairRDD<K, V> {
    public CassandraJavaPairRDD(CassandraRDD<Tuple2<K, V>> rdd) {
        super(rdd, CassandraJavaUtil.classTag(Object.class), CassandraJavaUtil.classTag(Object.class));
    }

    @Override
    public CassandraRDD<Tuple2<K, V>> rdd() {
        return (CassandraRDD<Tuple2<K, V>>) super.rdd();
    }

    @SuppressWarnings("unchecked") // a changed read has the same pairs
    private CassandraJavaPairRDD<K, V> of(CassandraRDD<?> changed) {
        return new CassandraJavaPairRDD<>((CassandraRDD<Tuple2<K, V>>) changed);
    }

    /** Only these columns of rows. */
    public CassandraJavaPairRDD<K, V> select(String... columnNames) {
        return select(CassandraJavaUtil.toSelectableColumnRefs(columnNames));
    }

    /** Only these columns of rows. */
    public CassandraJavaPairRDD<K, V> select(ColumnRef... columns) {
        return of(rdd().select(JavaArguments.of(columns)));
    }

    /** Only rows that meet these conditions, which the servers evaluate; the arguments are the values of their markers. */
    public CassandraJavaPairRDD<K, V> where(String cqlWhereClause, Object... arguments) {
        return of(rdd().where(cqlWhereClause, JavaArguments.of(arguments)));
    }

    /** The order of the rows of partitions that {@code where} names. */
    public CassandraJavaPairRDD<K, V> withAscOrder() {
        return of(rdd().withAscOrder());
    }

    /** The opposite order. */
    public CassandraJavaPairRDD<K, V> withDescOrder() {
        return of(rdd().withDescOrder());
    }

    /** Limits the rows of each Spark partition of a scan, or of each key of a join. */
    public CassandraJavaPairRDD<K, V> limit(Long rowsNumber) {
        return of(rdd().limit(rowsNumber));
    }

    /** Limits the rows of each partition of the table. */
    public CassandraJavaPairRDD<K, V> perPartitionLimit(Long rowsNumber) {
        return of(rdd().perPartitionLimit(rowsNumber));
    }

    /** The same, from another cluster. */
    public CassandraJavaPairRDD<K, V> withConnector(CassandraConnector connector) {
        return of(rdd().withConnector(connector));
    }

    /** The same, read in another way. */
    public CassandraJavaPairRDD<K, V> withReadConf(ReadConf config) {
        return of(rdd().withReadConf(config));
    }

    /** Names of the selected columns and values. */
    public String[] selectedColumnNames() {
        return JavaArguments.names(rdd().selectedColumnNames());
    }

    /** Groups adjacent values of the same key, without a shuffle. */
    public JavaPairRDD<K, Collection<V>> spanByKey() {
        return JavaSpans.byKey(rdd(), kClassTag());
    }

    /** Groups adjacent pairs by the result of a function, without a shuffle. */
    public <U> JavaPairRDD<U, Iterable<Tuple2<K, V>>> spanBy(Function<Tuple2<K, V>, U> function, ClassTag<U> tagOfKey) {
        return JavaSpans.by(rdd(), function, tagOfKey);
    }

    /** Groups adjacent pairs by the result of a function, without a shuffle. */
    public <U> JavaPairRDD<U, Iterable<Tuple2<K, V>>> spanBy(Function<Tuple2<K, V>, U> function, Class<U> keyClass) {
        return spanBy(function, CassandraJavaUtil.safeClassTag(keyClass));
    }

    /** The number of rows, counted by the servers where that is possible. */
    public long cassandraCount() {
        return rdd().cassandraCount();
    }
}
