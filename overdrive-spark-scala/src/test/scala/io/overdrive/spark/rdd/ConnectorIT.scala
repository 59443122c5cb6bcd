package io.overdrive.spark.rdd

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.auth.AuthProvider
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql._
import com.datastax.spark.connector.rdd.ReadConf
import com.datastax.spark.connector.util.ConfigParameter
import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.{cql, sc}
import org.apache.spark.SparkConf
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.{BeforeAll, Test, TestInstance}

/** Whose secret is in a setting of its own. */
class Vault extends AuthConfFactory {
  override def authConf(conf: SparkConf): AuthConf = PasswordAuthConf("shop", conf.get("spark.cassandra.auth.vault"))

  override val properties: Set[String] = DefaultAuthConfFactory.properties + "spark.cassandra.auth.vault"
}

/** For another kind of authentication. */
class Tickets extends AuthConfFactory {
  override def authConf(conf: SparkConf): AuthConf = new AuthConf {
    override def authProvider: Option[AuthProvider] = None
  }

  override def properties: Set[String] = Set("spark.cassandra.auth.vault")
}

object NoVault extends AuthConfFactory {
  override def authConf(conf: SparkConf): AuthConf = NoAuthConf

  override def properties: Set[String] = Set("spark.cassandra.auth.vault")
}

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
  def knowsTheNodes(): Unit = {
    assertThat(connector.hosts).isEqualTo(Set(TestCluster.address))
    assertThat(connector.hostAddresses).isEqualTo(Set(TestCluster.address.getAddress))
  }

  @Test
  def connectsByContactsInsteadOfSettings(): Unit = {
    val contacts = IpBasedContactInfo(Set(TestCluster.address), PasswordAuthConf("u", "p"))
    def key(connector: CassandraConnector): String = connector.withSessionDo(_.execute("SELECT key FROM system.local").one.getString(0))
    assertThat(key(CassandraConnector(contacts))).isEqualTo("local")
    val conf = CassandraConnectorConf(sc.getConf).copy(contactInfo = contacts, readTimeoutMillis = 7000, localConnectionsPerExecutor = Some(2))
    assertThat(conf.contactInfo).isEqualTo(contacts)
    assertThat(conf.readTimeoutMillis).isEqualTo(7000)
    assertThat(conf.localConnectionsPerExecutor).isEqualTo(Some(2))
    assertThat(conf.toString).doesNotContain("p,").contains("password=…")
    assertThat(key(new CassandraConnector(conf))).isEqualTo("local")
    assertThat(CassandraConnectorConf(sc.getConf).copy().contactInfo).isEqualTo(IpBasedContactInfo(Set(TestCluster.address)))
    val bundle = conf.copy(contactInfo = CloudBasedContactInfo("b.zip", NoAuthConf), localDC = Some("dc9"))
    assertThat(bundle.contactInfo).isEqualTo(CloudBasedContactInfo("b.zip", NoAuthConf))
    assertThat(bundle.localDC).isEqualTo(Some("dc9"))
    val encrypted = contacts.copy(cassandraSSLConf = CassandraConnectorConf.CassandraSSLConf(
      enabled = true,
      trustStorePath = Some("trust.jks"),
      trustStorePassword = Some("secret")))
    assertThat(conf.copy(contactInfo = encrypted).contactInfo).isEqualTo(encrypted)
    assertThat(DefaultConnectionFactory.createSession(conf).getName).isEqualTo(new CassandraConnector(conf).withSessionDo(_.getName))
  }

  @Test
  def anAuthConfFactoryGivesUserAndPassword(): Unit = {
    val conf = sc.getConf.clone.set("spark.cassandra.auth.conf.factory", classOf[Vault].getName).set("spark.cassandra.auth.vault", "secret")
    assertThat(AuthConf.fromSparkConf(conf)).isEqualTo(PasswordAuthConf("shop", "secret"))
    val connector = CassandraConnector(conf)
    assertThat(sc.parallelize(Seq(1), 1).map(_ => connector.withSessionDo(_.execute("SELECT key FROM system.local").one.getString(0))).first())
      .isEqualTo("local") // an executor does not know the factory's own setting
    assertThat(connector.conf.toString).doesNotContain("secret")
    assertThat(sc.cassandraTable("system", "local").withConnector(connector).withReadConf(ReadConf.fromSparkConf(conf)).count()).isEqualTo(1)
    assertThatThrownBy(() => AuthConf.fromSparkConf(conf.clone.set("spark.cassandra.auth.conf.factory", classOf[Tickets].getName)))
      .isInstanceOf(classOf[IllegalArgumentException])
      .hasMessageContaining("advanced.auth-provider.class")
    assertThat(AuthConf.fromSparkConf(conf.clone.set("spark.cassandra.auth.conf.factory", "io.overdrive.spark.rdd.NoVault"))).isEqualTo(NoAuthConf)
  }

  @Test
  def aProgramsOwnSettingsAreNotRefused(): Unit = {
    val conf = sc.getConf.clone.set("spark.cassandra.shop.color", "red")
    assertThatThrownBy(() => CassandraConnector(conf).openSession()).hasMessageContaining("spark.cassandra.shop.color")
    val color = ConfigParameter[String]("spark.cassandra.shop.color", "Shop", "blue", "Its color")
    assertThat(CassandraConnector(conf).hosts).isEqualTo(Set(TestCluster.address))
    assertThat(conf.get(color.name, color.default)).isEqualTo("red")
  }

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
