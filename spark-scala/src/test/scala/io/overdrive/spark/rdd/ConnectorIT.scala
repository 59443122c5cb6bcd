package io.overdrive.spark.rdd

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.auth.AuthProvider
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql._
import com.datastax.spark.connector.rdd.ReadConf
import com.datastax.spark.connector.types._
import com.datastax.spark.connector.util.{schemaFromCassandra, tableFromCassandra, ConfigParameter}
import com.datastax.spark.connector.writer.SqlRowWriter
import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.{cql, sc}
import org.apache.spark.SparkConf
import org.apache.spark.sql.Row
import org.apache.spark.sql.cassandra.{CassandraSQLRow, DataFrameReaderWrapper, DataTypeConverter}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.{BeforeAll, Test, TestInstance}

/** Its secret is in its own setting. */
class Vault extends AuthConfFactory {
  override def authConf(conf: SparkConf): AuthConf = PasswordAuthConf("shop", conf.get("spark.cassandra.auth.vault"))

  override val properties: Set[String] = DefaultAuthConfFactory.properties + "spark.cassandra.auth.vault"
}

/** A factory for another kind of authentication. */
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
  def knowsTablesAndTypes(): Unit = {
    cql(s"CREATE TYPE $Keyspace.address (street text, numbers frozen<list<int>>)")
    cql(s"CREATE TABLE $Keyspace.everything (id int, t timeuuid, address address, addresses list<frozen<address>>," +
      " pair tuple<int, text>, embedding vector<float, 3>, shared text static, PRIMARY KEY (id, t)) WITH CLUSTERING ORDER BY (t DESC)")
    val table = tableFromCassandra(connector, Keyspace, "everything")
    assertThat(table.columnRefs.map(_.columnName)).isEqualTo(table.columnNames)
    val columns = table.columnByName
    val address = UserDefinedType("address", IndexedSeq(UDTFieldDef("street", TextType), UDTFieldDef("numbers", ListType(IntType, isFrozen = true))))
    assertThat(columns("address").columnType).isEqualTo(address)
    assertThat(columns("addresses").columnType).isEqualTo(ListType(address.copy(isFrozen = true)))
    assertThat(columns("pair").columnType).isEqualTo(TupleType(TupleFieldDef(0, IntType), TupleFieldDef(1, TextType)))
    assertThat(columns("embedding").columnType).isEqualTo(VectorType(FloatType, 3))
    assertThat(columns("t").columnRole).isEqualTo(ClusteringColumn(0, ClusteringColumn.Descending))
    assertThat(columns("shared").isStatic).isTrue()
    val schema = connector.withSessionDo(Schema.fromCassandra(_, Some(Keyspace)))
    assertThat(schema.keyspaceByName(Keyspace).userTypeByName("address")).isEqualTo(address)
    assertThat(schemaFromCassandra(connector, Some(Keyspace), Some("everything")).tables).isEqualTo(Set(table))
    assertThatThrownBy(() => tableFromCassandra(connector, Keyspace, "everythin")).hasMessageContaining("everything")
    connector.withSessionDo(_.execute(table.copy(tableName = "copied").cql))
    assertThat(tableFromCassandra(connector, Keyspace, "copied")).isEqualTo(table.copy(tableName = "copied"))
    cql(s"CREATE TABLE $Keyspace.flat (id int PRIMARY KEY, address address)")
    sc.parallelize(Seq((1, address.newInstance("here", List(7))))).saveToCassandra(Keyspace, "flat", SomeColumns("id", "address"))
    assertThat(cql(s"SELECT address FROM $Keyspace.flat").head.getUdtValue(0).getString("street")).isEqualTo("here")
  }

  @Test
  def readsRowsOfSpark(): Unit = {
    cql(s"CREATE TABLE $Keyspace.rows (id int PRIMARY KEY, at timestamp, big varint, tags set<text>, u uuid, name text)")
    cql(s"INSERT INTO $Keyspace.rows (id, at, big, tags, u) VALUES (1, 42, 7, {'a'}, 6ab09bec-e68e-48d9-a5f8-97e6fb4c9b47)")
    val table = tableFromCassandra(connector, Keyspace, "rows")
    val rows = sc.cassandraTable[CassandraSQLRow](Keyspace, "rows").select(table.columnRefs: _*)
    assertThat(rows.first().getLong(rows.first().fieldIndex("id"))).isEqualTo(1)
    val frame = TestSpark.spark.createDataFrame(rows.map(row => row: Row), StructType(table.columns.map(DataTypeConverter.toStructField)))
    assertThat(frame.collect().toSeq).isEqualTo(TestSpark.spark.read.cassandraFormat("rows", Keyspace).load().select(frame.columns.map(col).toSeq: _*).collect().toSeq)
    cql(s"CREATE TABLE $Keyspace.rows2 (id int PRIMARY KEY, at timestamp, big varint, tags set<text>, u uuid, name text)")
    rows.map(row => row: Row).saveToCassandra(Keyspace, "rows2", SomeColumns(table.columnRefs: _*))(connector, SqlRowWriter.Factory)
    assertThat(cql(s"SELECT JSON * FROM $Keyspace.rows2").head.getString(0)).isEqualTo(cql(s"SELECT JSON * FROM $Keyspace.rows").head.getString(0))
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
