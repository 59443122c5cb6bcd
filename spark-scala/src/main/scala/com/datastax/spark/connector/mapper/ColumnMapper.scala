package com.datastax.spark.connector.mapper

import com.datastax.spark.connector.cql.{ColumnDef, PartitionKeyColumn, RegularColumn, TableDef}
import com.datastax.spark.connector.types.ColumnType

import scala.reflect.ClassTag
import scala.reflect.runtime.universe._

/**
 * Which property of objects of a type belongs to which column. Without more, a property belongs to the column of the same name, or
 * of the same words with underscores (`orderId`, `order_id`); components of tuples belong to columns by their order.
 */
trait ColumnMapper[T] extends Serializable {

  /** Columns by property, where that does not hold. */
  def columnNameOverride: Map[String, String]

  /** Whether setters are called with null, unless they take a primitive type; otherwise a null is an error, if the property is no Option. */
  def allowsNull: Boolean

  /**
   * A table for these objects, with the first property as its partition key.
   *
   * @throws IllegalArgumentException if no column can be created for a property
   */
  def newTable(keyspaceName: String, tableName: String): TableDef
}

/** Maps tuples, case classes and other classes of Scala. */
class DefaultColumnMapper[T: TypeTag](val columnNameOverride: Map[String, String] = Map.empty) extends ColumnMapper[T] {
  override def allowsNull: Boolean = false

  override def newTable(keyspaceName: String, tableName: String): TableDef = {
    val properties = Constructors.parameters(typeOf[T])
    if (properties.isEmpty) {
      throw new IllegalArgumentException(
        s"no table can be created for ${typeOf[T]}, which has no properties: create it in CQL, or give its TableDef")
    }
    val columns = properties.map { case (name, tpe) =>
      ColumnDef(columnNameOverride.getOrElse(name, Properties.underscored(name)), RegularColumn, ColumnType.fromScalaType(tpe))
    }
    TableDef(keyspaceName, tableName, Seq(columns.head.copy(columnRole = PartitionKeyColumn)), Seq.empty, columns.tail)
  }
}

/** Maps beans. */
class JavaBeanColumnMapper[T: ClassTag](val columnNameOverride: Map[String, String] = Map.empty) extends ColumnMapper[T] {
  override def allowsNull: Boolean = true

  override def newTable(keyspaceName: String, tableName: String): TableDef =
    throw new UnsupportedOperationException(
      s"no table can be created for ${implicitly[ClassTag[T]].runtimeClass.getName}: the properties of a bean have no order, so its" +
        " partition key is not known; create the table in CQL")
}

object ColumnMapper {
  implicit def defaultColumnMapper[T: TypeTag]: ColumnMapper[T] = new DefaultColumnMapper[T]
}

private[connector] object Constructors {

  /** Names and types of the parameters of the primary constructor, in their order. */
  def parameters(tpe: Type): Seq[(String, Type)] = {
    val dealiased = tpe.dealias
    dealiased.decl(termNames.CONSTRUCTOR).alternatives.collectFirst {
      case constructor: MethodSymbol if constructor.isPrimaryConstructor =>
        constructor.paramLists.flatten.map(parameter =>
          parameter.name.decodedName.toString -> parameter.typeSignature.asSeenFrom(dealiased, dealiased.typeSymbol.asClass))
    }.getOrElse(Seq.empty)
  }
}
