package com.datastax.spark.connector.cql

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.{SimpleStatement, Statement}
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.Test

import java.lang.reflect.Proxy
import java.time.Duration

class SharedSessionTest {
  private var executed: AnyRef = _

  /** Keeps what it executes. */
  private val shared = Proxy.newProxyInstance(
    getClass.getClassLoader,
    Array[Class[_]](classOf[CqlSession]),
    (_, method, arguments) => {
      assertEquals("execute", method.getName)
      executed = arguments(0)
      null
    }).asInstanceOf[CqlSession]

  private def timeoutOf(statement: SimpleStatement): Duration = {
    new SharedSession(shared, Duration.ofSeconds(60)).execute(statement, Statement.SYNC)
    executed.asInstanceOf[Statement[_]].getTimeout
  }

  @Test
  def statementsHaveTheTimeoutOfTheSettingsUnlessTheyHaveTheirOwn(): Unit = {
    assertEquals(Duration.ofSeconds(60), timeoutOf(SimpleStatement.newInstance("x")))
    assertEquals(Duration.ofSeconds(5), timeoutOf(SimpleStatement.newInstance("x").setTimeout(Duration.ofSeconds(5))))
  }

  /** The proxy fails on any other call than that of execute. */
  @Test
  def closingDoesNotReachTheSharedSession(): Unit = {
    val session = new SharedSession(shared, Duration.ofSeconds(60))
    session.close()
    session.forceCloseAsync()
    assertTrue(session.isClosed)
    session.execute(SimpleStatement.newInstance("later"), Statement.SYNC)
    assertEquals("later", executed.asInstanceOf[SimpleStatement].getQuery)
  }
}
