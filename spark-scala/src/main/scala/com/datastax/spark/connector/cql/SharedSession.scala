package com.datastax.spark.connector.cql

import com.datastax.oss.driver.api.core.context.DriverContext
import com.datastax.oss.driver.api.core.cql.Statement
import com.datastax.oss.driver.api.core.metadata.Metadata
import com.datastax.oss.driver.api.core.metrics.Metrics
import com.datastax.oss.driver.api.core.session.Request
import com.datastax.oss.driver.api.core.`type`.reflect.GenericType
import com.datastax.oss.driver.api.core.{CqlIdentifier, CqlSession}

import java.lang
import java.time.Duration
import java.util.Optional
import java.util.concurrent.{CompletableFuture, CompletionStage}

/**
 * A session whose connections belong to the engine: closing it closes none of them, and code that uses it later, such as an iterator that
 * withSessionDo has returned, still works. Thread-safe.
 *
 * @param timeout of statements that have none
 */
private[cql] final class SharedSession(shared: CqlSession, timeout: Duration) extends CqlSession {
  private val closed = new CompletableFuture[Void]

  override def execute[RequestT <: Request, ResultT](request: RequestT, resultType: GenericType[ResultT]): ResultT = {
    val timed = request match {
      case statement: Statement[_] if statement.getTimeout == null => statement.setTimeout(timeout)
      case other => other
    }
    shared.execute(timed.asInstanceOf[RequestT], resultType)
  }

  override def closeFuture(): CompletionStage[Void] = closed

  override def closeAsync(): CompletionStage[Void] = {
    closed.complete(null)
    closed
  }

  override def forceCloseAsync(): CompletionStage[Void] = closeAsync()

  override def getName: String = shared.getName

  override def getMetadata: Metadata = shared.getMetadata

  override def isSchemaMetadataEnabled: Boolean = shared.isSchemaMetadataEnabled

  override def setSchemaMetadataEnabled(value: lang.Boolean): CompletionStage[Metadata] = shared.setSchemaMetadataEnabled(value)

  override def refreshSchemaAsync(): CompletionStage[Metadata] = shared.refreshSchemaAsync()

  override def checkSchemaAgreementAsync(): CompletionStage[lang.Boolean] = shared.checkSchemaAgreementAsync()

  override def getContext: DriverContext = shared.getContext

  override def getKeyspace: Optional[CqlIdentifier] = shared.getKeyspace

  override def getMetrics: Optional[Metrics] = shared.getMetrics
}
