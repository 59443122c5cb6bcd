package io.overdrive.spark.rdd

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.spark.connector.cql.{CassandraConnector, CassandraConnectorConf}
import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.{cql, sc}
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.{BeforeAll, Test, TestInstance}

/** The driver's door: sessions of the Cassandra driver in programs. */
@TestInstance(Lifecycle.PER_CLASS)
class ConnectorIT {
  private val Keyspace = "rdd_connector"

  private lazy val connector = CassandraConnector(sc.getConf)

  @BeforeAll
  def start(): Unit = TestCluster.keyspace(Keyspace)

  @Test
  def executesStatementsOnTheDriver(): Unit = {
    connector.withSessionDo { session =>
      session.execute(s"CREATE TABLE $Keyspace.kv (key int PRIMARY KEY, value text)")
      session.execute(s"INSERT INTO $Keyspace.kv (key, value) VALUES (1, 'one')")
    }
    assertThat(CassandraConnector(sc).withSessionDo(_.execute(s"SELECT value FROM $Keyspace.kv").one.getString(0))).isEqualTo("one")
  }

  @Test
  def executesStatementsOnExecutors(): Unit = {
    cql(s"CREATE TABLE $Keyspace.squares (n int PRIMARY KEY, square int)")
    val here = connector
    val table = s"$Keyspace.squares"
    sc.parallelize(1 to 20, 4).foreachPartition { numbers =>
      here.withSessionDo { session =>
        val insert = session.prepare(s"INSERT INTO $table (n, square) VALUES (?, ?)")
        numbers.foreach(n => session.execute(insert.bind(Int.box(n), Int.box(n * n))))
      }
    }
    assertThat(cql(s"SELECT sum(square) FROM $table").head.getInt(0)).isEqualTo(2870)
  }

  @Test
  def closingASessionClosesNoConnection(): Unit = {
    val first = connector.openSession()
    val second = connector.openSession()
    first.close()
    first.close()
    assertThat(first.isClosed).isTrue()
    assertThat(second.execute("SELECT key FROM system.local").one.getString(0)).isEqualTo("local")
    second.close()
  }

  @Test
  def iteratorsMayUseASessionAfterItsEnd(): Unit = {
    val here = connector
    val keys = sc.parallelize(1 to 20, 4).mapPartitions { numbers =>
      here.withSessionDo(session => numbers.map(n => session.execute("SELECT key FROM system.local").one.getString(0) + n))
    }
    assertThat(keys.collect().toSeq).isEqualTo((1 to 20).map(n => s"local$n"))
  }

  @Test
  def sessionsOfAClusterShareItsConnections(): Unit = {
    def name(connector: CassandraConnector): String = connector.withSessionDo(_.getName)
    assertThat(name(connector)).isEqualTo(name(CassandraConnector(CassandraConnectorConf.fromSparkConf(sc.getConf))))
    assertThat(connector).isEqualTo(CassandraConnector(sc.getConf))
    assertThat(connector.hashCode).isEqualTo(CassandraConnector(sc.getConf).hashCode)
  }

  @Test
  def hasAFormForJava(): Unit = {
    val code: java.util.function.Function[CqlSession, String] = _.execute("SELECT key FROM system.local").one.getString(0)
    assertThat(connector.jWithSessionDo(code)).isEqualTo("local")
  }

  @Test
  def knowsTheNodes(): Unit = assertThat(connector.hosts).isEqualTo(Set(TestCluster.address))

  @Test
  def refusesSettingsThatDoNotExist(): Unit =
    assertThatThrownBy(() => CassandraConnector(sc.getConf.clone.set("spark.cassandra.conection.port", "1")).openSession())
      .isInstanceOf(classOf[IllegalArgumentException])
      .hasMessageContaining("spark.cassandra.connection.port")

  @Test
  def masksPasswords(): Unit =
    assertThat(CassandraConnectorConf(sc.getConf.clone.set("spark.cassandra.auth.password", "secret")).toString)
      .contains("password=…")
      .doesNotContain("secret")
}
