package com.datastax.spark.connector.japi.rdd;

import java.util.Arrays;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Arrays of Java as sequences of Scala, and the reverse. Stateless. */
final class JavaArguments {
    private JavaArguments() {}

    @SafeVarargs
    static <T> Seq<T> of(T... arguments) {
        return CollectionConverters.asScala(Arrays.asList(arguments)).toSeq();
    }

    static String[] names(Seq<String> names) {
        return CollectionConverters.asJava(names).toArray(String[]::new);
    }
}
