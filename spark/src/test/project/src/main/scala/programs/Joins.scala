package programs

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import org.apache.spark.SparkContext
import programs.Programs.same

case class CustomerID(cust_id: Int)

/** Joins with tables, by lookups, by replicas, and by a common partitioner. */
object Joins {
  def run(sc: SparkContext, keyspace: String): Unit = {
    CassandraConnector(sc.getConf).withSessionDo { session =>
      session.execute(s"CREATE TABLE $keyspace.customer_info (cust_id int PRIMARY KEY, name text, address text)")
      session.execute(
        s"CREATE TABLE $keyspace.shopping_history (cust_id int, date timestamp, product text, quantity int, PRIMARY KEY (cust_id, date, product))")
    }
    sc.parallelize(1 to 100).map(n => (n, s"name $n", "here")).saveToCassandra(keyspace, "customer_info", SomeColumns("cust_id", "name", "address"))
    val day = new java.util.Date(86_400_000L)
    sc.parallelize(1 to 50).map(n => (n, day, "shoe", n)).saveToCassandra(keyspace, "shopping_history")

    val internalJoin = sc.cassandraTable(keyspace, "customer_info").joinWithCassandraTable(keyspace, "shopping_history")
    same(internalJoin.count(), 50)
    same(internalJoin.where("date > ?", day).count(), 0)
    val ids = sc.parallelize(1 to 200, 4).map(CustomerID(_))
    val joinWithRDD = ids.filter(_.cust_id % 2 == 0).joinWithCassandraTable(keyspace, "customer_info").select("name")
    same(joinWithRDD.map(_._2.getString("name")).collect().toSet, (2 to 100 by 2).map(n => s"name $n").toSet)
    same(ids.leftJoinWithCassandraTable(keyspace, "customer_info").filter(_._2.isEmpty).count(), 100)
    val byClustering = sc.parallelize(Seq((7, day))).joinWithCassandraTable[(String, Int)](keyspace, "shopping_history")
      .on(SomeColumns("cust_id", "date")).select("product", "quantity")
    same(byClustering.collect().toSeq, Seq(((7, day), ("shoe", 7))))
    val moved = ids.repartitionByCassandraReplica(keyspace, "customer_info", 10)
    same((moved.count(), moved.joinWithCassandraTable(keyspace, "customer_info").count()), (200, 100))
    same(ids.keyByCassandraReplica(keyspace, "customer_info").filter(_._1.nonEmpty).count(), 200)

    val history = sc.cassandraTable[(Int, String)](keyspace, "shopping_history").select("quantity" as "_1", "product" as "_2", "cust_id")
      .keyBy[Tuple1[Int]]("cust_id")
    val names = sc.cassandraTable[String](keyspace, "customer_info").select("name")
    same(history.join(names.keyBy[Tuple1[Int]]("cust_id").applyPartitionerFrom(history)).count(), 50)
    same(names.keyAndApplyPartitionerFrom(history).partitioner, history.partitioner)
  }
}
