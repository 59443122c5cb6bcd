package com.datastax.spark.connector.japi;

import com.datastax.spark.connector.AllColumns$;
import com.datastax.spark.connector.BatchSize;
import com.datastax.spark.connector.BatchSize$;
import com.datastax.spark.connector.BytesInBatch;
import com.datastax.spark.connector.ColumnName;
import com.datastax.spark.connector.ColumnRef;
import com.datastax.spark.connector.ColumnSelector;
import com.datastax.spark.connector.RowsInBatch;
import com.datastax.spark.connector.SomeColumns;
import com.datastax.spark.connector.TTL;
import com.datastax.spark.connector.WriteTime;
import com.datastax.spark.connector.mapper.ColumnMapper;
import com.datastax.spark.connector.mapper.JavaBeanColumnMapper;
import com.datastax.spark.connector.rdd.reader.JavaReaders;
import com.datastax.spark.connector.rdd.reader.RowReaderFactory;
import com.datastax.spark.connector.types.TypeConverter;
import com.datastax.spark.connector.writer.BatchGroupingKey;
import com.datastax.spark.connector.writer.RowWriterFactory;
import com.datastax.spark.connector.writer.RowWriterFactory$;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.lang3.tuple.Pair;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import scala.Option;
import scala.Tuple1;
import scala.Tuple10;
import scala.Tuple2;
import scala.Tuple3;
import scala.Tuple4;
import scala.Tuple5;
import scala.Tuple6;
import scala.Tuple7;
import scala.Tuple8;
import scala.Tuple9;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.reflect.api.TypeTags.TypeTag;

/**
 * Cassandra in Spark's RDDs, for Java:
 *
 * <pre>{@code
 * import static com.datastax.spark.connector.japi.CassandraJavaUtil.*;
 * javaFunctions(sc).cassandraTable("shop", "orders", mapRowTo(Order.class)).where("id = ?", 1).collect();
 * javaFunctions(rdd).writerBuilder("shop", "orders", mapToRow(Order.class)).saveToCassandra();
 * }</pre>
 *
 * Stateless.
 */
public final class CassandraJavaUtil {
    /** All columns of a table. */
    public static final ColumnSelector allColumns = AllColumns$.MODULE$;

    /** A size that is found by measuring. */
    public static final BatchSize automaticBatchSize = BatchSize$.MODULE$.Automatic();

    public static final BatchGroupingKey BATCH_GROUPING_KEY_NONE = BatchGroupingKey.None$.MODULE$;
    public static final BatchGroupingKey BATCH_GROUPING_KEY_PARTITION = BatchGroupingKey.Partition$.MODULE$;
    public static final BatchGroupingKey BATCH_GROUPING_KEY_REPLICA_SET = BatchGroupingKey.ReplicaSet$.MODULE$;

    private CassandraJavaUtil() {}

    // what can be done

    public static SparkContextJavaFunctions javaFunctions(SparkContext sparkContext) {
        return new SparkContextJavaFunctions(sparkContext);
    }

    public static SparkContextJavaFunctions javaFunctions(JavaSparkContext sparkContext) {
        return javaFunctions(JavaSparkContext.toSparkContext(sparkContext));
    }

    public static <T> RDDJavaFunctions<T> javaFunctions(RDD<T> rdd) {
        return new RDDJavaFunctions<>(rdd);
    }

    public static <T> RDDJavaFunctions<T> javaFunctions(JavaRDD<T> rdd) {
        return javaFunctions(rdd.rdd());
    }

    public static <K, V> PairRDDJavaFunctions<K, V> javaFunctions(JavaPairRDD<K, V> rdd) {
        RDD<Tuple2<K, V>> pairs = rdd.rdd();
        return new PairRDDJavaFunctions<>(pairs);
    }

    // types

    /** The tag that Scala has for a class. */
    public static <T> ClassTag<T> safeClassTag(Class<T> of) {
        return ClassTag$.MODULE$.apply(of);
    }

    /** The same, for a class with type parameters. */
    public static <T> ClassTag<T> classTag(Class<?> of) {
        return ClassTag$.MODULE$.apply(of);
    }

    /** The tag that Scala has for a class without type parameters. */
    public static <T> TypeTag<T> typeTag(Class<?> of) {
        return JavaTypes.tag(
                of, CollectionConverters.asScala(List.<TypeTag<?>>of()).toSeq());
    }

    /** The same, for a class with type parameters, which have none themselves. */
    public static <T> TypeTag<T> typeTag(Class<?> of, Class<?> parameter, Class<?>... parameters) {
        TypeTag<?>[] tags =
                Arrays.stream(parameters).map(CassandraJavaUtil::typeTag).toArray(TypeTag<?>[]::new);
        return typeTag(of, typeTag(parameter), tags);
    }

    /** The same, for a class with any type parameters. */
    public static <T> TypeTag<T> typeTag(Class<?> of, TypeTag<?> parameter, TypeTag<?>... parameters) {
        List<TypeTag<?>> all = new ArrayList<>(List.of(parameter));
        all.addAll(Arrays.asList(parameters));
        return JavaTypes.tag(of, CollectionConverters.asScala(all).toSeq());
    }

    /**
     * Converter of values to a type; a null is null.
     *
     * @throws IllegalArgumentException if no value can be read as this type
     */
    public static <T> TypeConverter<T> typeConverter(TypeTag<T> of) {
        return JavaTypes.converterOrNull(of);
    }

    /**
     * Converter of values to a class; a null is null.
     *
     * @throws IllegalArgumentException if no value can be read as this class
     */
    public static <T> TypeConverter<T> typeConverter(Class<?> of) {
        return converter(of);
    }

    /** The same, for a class with type parameters, such as those of a list. */
    public static <T> TypeConverter<T> typeConverter(Class<?> of, Class<?> parameter, Class<?>... parameters) {
        Class<?>[] all = new Class<?>[parameters.length + 1];
        all[0] = parameter;
        System.arraycopy(parameters, 0, all, 1, parameters.length);
        return converter(of, all);
    }

    private static <T> TypeConverter<T> converter(Class<?> of, Class<?>... parameters) {
        return JavaTypes.converterOrNull(
                of, CollectionConverters.asScala(List.of(parameters)).toSeq());
    }

    // the first column of a row

    /** The first column as a value of a class; a null is null. */
    public static <T> RowReaderFactory<T> mapColumnTo(Class<T> of) {
        return JavaReaders.column(CassandraJavaUtil.<T>typeConverter(of));
    }

    public static <T> RowReaderFactory<List<T>> mapColumnToListOf(Class<T> of) {
        return JavaReaders.column(CassandraJavaUtil.<List<T>>typeConverter(List.class, of));
    }

    public static <T> RowReaderFactory<Set<T>> mapColumnToSetOf(Class<T> of) {
        return JavaReaders.column(CassandraJavaUtil.<Set<T>>typeConverter(Set.class, of));
    }

    public static <K, V> RowReaderFactory<Map<K, V>> mapColumnToMapOf(Class<K> ofKeys, Class<V> ofValues) {
        return JavaReaders.column(CassandraJavaUtil.<Map<K, V>>typeConverter(Map.class, ofKeys, ofValues));
    }

    /** Reads a column as a class with type parameters. */
    public static <T> RowReaderFactory<T> mapColumnTo(Class<?> of, Class<?> parameter, Class<?>... parameters) {
        return JavaReaders.column(CassandraJavaUtil.<T>typeConverter(of, parameter, parameters));
    }

    public static <T> RowReaderFactory<T> mapColumnTo(TypeConverter<T> converter) {
        return JavaReaders.column(converter);
    }

    // rows as objects, and objects as rows

    /**
     * Rows as beans, which have a constructor without parameters. A property whose column is null keeps its value.
     *
     * @param columnByProperty for properties whose column has another name
     */
    public static <T> RowReaderFactory<T> mapRowTo(Class<T> of, Map<String, String> columnByProperty) {
        return mapRowTo(of, beans(of, columnByProperty));
    }

    /** @param columnByProperty pairs of a property and its column, where the names differ */
    @SafeVarargs
    public static <T> RowReaderFactory<T> mapRowTo(Class<T> of, Pair<String, String>... columnByProperty) {
        return mapRowTo(of, map(columnByProperty));
    }

    public static <T> RowReaderFactory<T> mapRowTo(Class<T> of, ColumnMapper<T> mapper) {
        return JavaReaders.bean(of, mapper);
    }

    /**
     * Objects as rows, by their getters.
     *
     * @param columnByProperty for properties whose column has another name
     */
    public static <T> RowWriterFactory<T> mapToRow(Class<?> of, Map<String, String> columnByProperty) {
        return mapToRow(of, CassandraJavaUtil.<T>beans(of, columnByProperty));
    }

    /** @param columnByProperty pairs of a property and its column, where the names differ */
    @SafeVarargs
    public static <T> RowWriterFactory<T> mapToRow(Class<T> of, Pair<String, String>... columnByProperty) {
        return mapToRow(of, map(columnByProperty));
    }

    public static <T> RowWriterFactory<T> mapToRow(Class<?> of, ColumnMapper<T> mapper) {
        return RowWriterFactory$.MODULE$.defaultRowWriterFactory(CassandraJavaUtil.<T>classTag(of), mapper);
    }

    private static <T> ColumnMapper<T> beans(Class<?> of, Map<String, String> columnByProperty) {
        return new JavaBeanColumnMapper<>(scalaMap(columnByProperty), CassandraJavaUtil.<T>classTag(of));
    }

    private static Map<String, String> map(Pair<String, String>[] pairs) {
        Map<String, String> map = new HashMap<>();
        for (Pair<String, String> pair : pairs) {
            map.put(pair.getLeft(), pair.getRight());
        }
        return map;
    }

    static scala.collection.immutable.Map<String, String> scalaMap(Map<String, String> map) {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(map));
    }

    // tuples

    private static <T> RowReaderFactory<T> tuples(Class<?> tuple, Class<?>... components) {
        return JavaReaders.tuple(
                tuple,
                CollectionConverters.asScala(java.util.List.of(components)).toSeq());
    }

    private static <T> RowWriterFactory<T> rows(Class<?> tuple) {
        ClassTag<T> tag = CassandraJavaUtil.classTag(tuple);
        return RowWriterFactory$.MODULE$.defaultRowWriterFactory(
                tag, new JavaBeanColumnMapper<>(CassandraJavaUtil.scalaMap(Map.of()), tag));
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A> RowReaderFactory<Tuple1<A>> mapRowToTuple(Class<A> a) {
        return tuples(Tuple1.class, a);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B> RowReaderFactory<Tuple2<A, B>> mapRowToTuple(Class<A> a, Class<B> b) {
        return tuples(Tuple2.class, a, b);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C> RowReaderFactory<Tuple3<A, B, C>> mapRowToTuple(Class<A> a, Class<B> b, Class<C> c) {
        return tuples(Tuple3.class, a, b, c);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C, D> RowReaderFactory<Tuple4<A, B, C, D>> mapRowToTuple(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d) {
        return tuples(Tuple4.class, a, b, c, d);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C, D, E> RowReaderFactory<Tuple5<A, B, C, D, E>> mapRowToTuple(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e) {
        return tuples(Tuple5.class, a, b, c, d, e);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C, D, E, F> RowReaderFactory<Tuple6<A, B, C, D, E, F>> mapRowToTuple(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e, Class<F> f) {
        return tuples(Tuple6.class, a, b, c, d, e, f);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C, D, E, F, G> RowReaderFactory<Tuple7<A, B, C, D, E, F, G>> mapRowToTuple(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e, Class<F> f, Class<G> g) {
        return tuples(Tuple7.class, a, b, c, d, e, f, g);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C, D, E, F, G, H> RowReaderFactory<Tuple8<A, B, C, D, E, F, G, H>> mapRowToTuple(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e, Class<F> f, Class<G> g, Class<H> h) {
        return tuples(Tuple8.class, a, b, c, d, e, f, g, h);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C, D, E, F, G, H, I> RowReaderFactory<Tuple9<A, B, C, D, E, F, G, H, I>> mapRowToTuple(
            Class<A> a,
            Class<B> b,
            Class<C> c,
            Class<D> d,
            Class<E> e,
            Class<F> f,
            Class<G> g,
            Class<H> h,
            Class<I> i) {
        return tuples(Tuple9.class, a, b, c, d, e, f, g, h, i);
    }

    /** Rows as tuples of the selected columns, in their order; a null is null. */
    public static <A, B, C, D, E, F, G, H, I, J> RowReaderFactory<Tuple10<A, B, C, D, E, F, G, H, I, J>> mapRowToTuple(
            Class<A> a,
            Class<B> b,
            Class<C> c,
            Class<D> d,
            Class<E> e,
            Class<F> f,
            Class<G> g,
            Class<H> h,
            Class<I> i,
            Class<J> j) {
        return tuples(Tuple10.class, a, b, c, d, e, f, g, h, i, j);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A> RowWriterFactory<Tuple1<A>> mapTupleToRow(Class<A> a) {
        return rows(Tuple1.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B> RowWriterFactory<Tuple2<A, B>> mapTupleToRow(Class<A> a, Class<B> b) {
        return rows(Tuple2.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C> RowWriterFactory<Tuple3<A, B, C>> mapTupleToRow(Class<A> a, Class<B> b, Class<C> c) {
        return rows(Tuple3.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C, D> RowWriterFactory<Tuple4<A, B, C, D>> mapTupleToRow(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d) {
        return rows(Tuple4.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C, D, E> RowWriterFactory<Tuple5<A, B, C, D, E>> mapTupleToRow(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e) {
        return rows(Tuple5.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C, D, E, F> RowWriterFactory<Tuple6<A, B, C, D, E, F>> mapTupleToRow(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e, Class<F> f) {
        return rows(Tuple6.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C, D, E, F, G> RowWriterFactory<Tuple7<A, B, C, D, E, F, G>> mapTupleToRow(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e, Class<F> f, Class<G> g) {
        return rows(Tuple7.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C, D, E, F, G, H> RowWriterFactory<Tuple8<A, B, C, D, E, F, G, H>> mapTupleToRow(
            Class<A> a, Class<B> b, Class<C> c, Class<D> d, Class<E> e, Class<F> f, Class<G> g, Class<H> h) {
        return rows(Tuple8.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C, D, E, F, G, H, I> RowWriterFactory<Tuple9<A, B, C, D, E, F, G, H, I>> mapTupleToRow(
            Class<A> a,
            Class<B> b,
            Class<C> c,
            Class<D> d,
            Class<E> e,
            Class<F> f,
            Class<G> g,
            Class<H> h,
            Class<I> i) {
        return rows(Tuple9.class);
    }

    /** Tuples as rows: their components are the columns that are written, in their order. */
    public static <A, B, C, D, E, F, G, H, I, J> RowWriterFactory<Tuple10<A, B, C, D, E, F, G, H, I, J>> mapTupleToRow(
            Class<A> a,
            Class<B> b,
            Class<C> c,
            Class<D> d,
            Class<E> e,
            Class<F> f,
            Class<G> g,
            Class<H> h,
            Class<I> i,
            Class<J> j) {
        return rows(Tuple10.class);
    }

    // columns

    public static ColumnSelector someColumns(String... names) {
        return new SomeColumns(CollectionConverters.asScala(Arrays.asList(toSelectableColumnRefs(names)))
                .toSeq());
    }

    public static ColumnName column(String name) {
        return new ColumnName(name, Option.empty());
    }

    public static TTL ttl(String column) {
        return new TTL(column, Option.empty());
    }

    public static WriteTime writeTime(String column) {
        return new WriteTime(column, Option.empty());
    }

    public static ColumnRef[] toSelectableColumnRefs(String... names) {
        return Arrays.stream(names).map(CassandraJavaUtil::column).toArray(ColumnRef[]::new);
    }

    // batches

    public static BatchSize rowsInBatch(int rows) {
        return new RowsInBatch(rows);
    }

    public static BatchSize bytesInBatch(int bytes) {
        return new BytesInBatch(bytes);
    }
}
