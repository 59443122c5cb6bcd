package programs;

import static com.datastax.spark.connector.japi.CassandraJavaUtil.*;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.spark.connector.cql.CassandraConnector;
import com.datastax.spark.connector.japi.CassandraRow;
import com.datastax.spark.connector.japi.GenericJavaRowReaderFactory;
import com.datastax.spark.connector.japi.rdd.CassandraJavaPairRDD;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** RDDs in Java. */
public final class JavaPrograms {
    private JavaPrograms() {}

    public static void run(SparkContext spark, String keyspace) {
        JavaSparkContext sc = new JavaSparkContext(spark);
        CassandraConnector connector = CassandraConnector.apply(sc.getConf());
        try (CqlSession session = connector.openSession()) {
            session.execute("CREATE TABLE " + keyspace + ".products (id int PRIMARY KEY, name text, unit_price int)");
            session.execute("CREATE TABLE " + keyspace + ".renamed (id int PRIMARY KEY, label text, price int)");
            session.execute("CREATE TABLE " + keyspace
                    + ".sales (product int, sale int, amount int, PRIMARY KEY (product, sale))");
        }
        JavaRDD<Product> products = sc.parallelize(
                List.of(new Product(1, "pen", 2), new Product(2, "ink", 9), new Product(3, "paper", 5)));
        javaFunctions(products).writerBuilder(keyspace, "products", mapToRow(Product.class)).saveToCassandra();
        Map<String, String> columns = new HashMap<>();
        columns.put("name", "label");
        columns.put("unitPrice", "price");
        javaFunctions(products)
                .writerBuilder(keyspace, "renamed", mapToRow(Product.class, columns))
                .withConstantTTL(3600)
                .withConnector(connector)
                .saveToCassandra();
        javaFunctions(sc.parallelize(List.of(new Tuple2<>(1, 1), new Tuple2<>(1, 2), new Tuple2<>(2, 3)))
                        .map(pair -> new scala.Tuple3<>(pair._1(), pair._2(), 10)))
                .writerBuilder(keyspace, "sales", mapTupleToRow(Integer.class, Integer.class, Integer.class))
                .withColumnSelector(someColumns("product", "sale", "amount"))
                .saveToCassandra();

        JavaRDD<String> texts = javaFunctions(sc)
                .cassandraTable(keyspace, "products")
                .select("name")
                .map(row -> row.getString("name"));
        same(texts.collect().stream().sorted().toList(), List.of("ink", "paper", "pen"));
        JavaRDD<Integer> prices = javaFunctions(sc)
                .cassandraTable(keyspace, "products", mapColumnTo(Integer.class))
                .select("unit_price");
        same(prices.reduce(Integer::sum), 16);
        List<Product> found = javaFunctions(sc)
                .cassandraTable(keyspace, "products", mapRowTo(Product.class))
                .where("id = ?", 2)
                .collect();
        same(found.get(0).getName() + " " + found.get(0).getUnitPrice(), "ink 9");
        same(
                javaFunctions(sc)
                        .cassandraTable(keyspace, "renamed", mapRowTo(Product.class, columns))
                        .map(Product::getName)
                        .collect()
                        .size(),
                3);
        CassandraJavaPairRDD<Integer, Integer> pairs = javaFunctions(sc)
                .cassandraTable(keyspace, "sales", mapColumnTo(Integer.class), mapColumnTo(Integer.class))
                .select("product", "amount");
        same(pairs.reduceByKey(Integer::sum).collectAsMap(), Map.of(1, 20, 2, 10));
        JavaPairRDD<Integer, Iterable<CassandraRow>> spans = javaFunctions(sc)
                .cassandraTable(keyspace, "sales")
                .spanBy(row -> row.getInt("product"), Integer.class);
        same(spans.count(), 2L);
        CassandraJavaPairRDD<Product, CassandraRow> joined = javaFunctions(products)
                .joinWithCassandraTable(
                        keyspace,
                        "sales",
                        someColumns("amount"),
                        someColumns("product"),
                        GenericJavaRowReaderFactory.instance,
                        mapToRow(Product.class, Map.of("id", "product")));
        same(joined.count(), 3L);
        same(javaFunctions(sc).cassandraTable(keyspace, "products").cassandraCount(), 3L);
    }

    private static void same(Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new AssertionError("found " + found + " instead of " + expected);
        }
    }
}
