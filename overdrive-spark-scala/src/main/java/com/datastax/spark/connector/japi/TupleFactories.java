package com.datastax.spark.connector.japi;

import com.datastax.spark.connector.mapper.JavaBeanColumnMapper;
import com.datastax.spark.connector.rdd.reader.JavaReaders;
import com.datastax.spark.connector.rdd.reader.RowReaderFactory;
import com.datastax.spark.connector.writer.RowWriterFactory;
import com.datastax.spark.connector.writer.RowWriterFactory$;
import java.util.Map;
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

/** The methods for tuples, which differ in the number of components only. Stateless. */
abstract class TupleFactories {
    TupleFactories() {}

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
}
