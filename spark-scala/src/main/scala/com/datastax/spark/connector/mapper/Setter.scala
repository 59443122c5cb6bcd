package com.datastax.spark.connector.mapper

import com.datastax.spark.connector.types.TypeConverter

import java.lang.reflect.{InvocationTargetException, Method}
import scala.reflect.runtime.universe._

/**
 * Sets a property of an object by a method. Immutable and thread-safe; travels to executors.
 *
 * @param method its name
 * @param converter to the type of its parameter
 */
private[connector] final class Setter(method: String, val converter: TypeConverter[_]) extends Serializable {
  @transient @volatile private var found: Method = _

  private def of(target: AnyRef): Method = {
    if (found == null) {
      val setter = target.getClass.getMethods.find(m => m.getName == method && m.getParameterCount == 1).get
      setter.trySetAccessible()
      found = setter
    }
    found
  }

  def isOfPrimitive(target: AnyRef): Boolean = of(target).getParameterTypes.head.isPrimitive

  /** Calls the method; throws the exception that the method throws. */
  def set(target: AnyRef, value: AnyRef): Unit =
    try of(target).invoke(target, value)
    catch {
      case e: InvocationTargetException => throw e.getCause
    }
}

private[connector] object Setter {

  /** The setters of Scala and of beans, by property. */
  def all(tpe: Type): Seq[(String, MethodSymbol)] = for {
    member <- tpe.members.toSeq if member.isMethod && member.isPublic
    method = member.asMethod if method.paramLists.map(_.size) == List(1)
    property <- propertyOf(method.name.decodedName.toString)
  } yield property -> method

  /** Setters of the variables in the body of a case class. */
  def ofVariables(tpe: Type): Seq[(String, Setter)] = {
    val parameters = Constructors.parameters(tpe).map(_._1)
    all(tpe).collect {
      case (property, method) if method.isSetter && !parameters.contains(property) => property -> of(method, tpe)
    }
  }

  /** @throws IllegalArgumentException if no value can be read as the type of the parameter */
  def of(method: MethodSymbol, tpe: Type): Setter =
    new Setter(method.name.encodedName.toString, TypeConverter.forType(method.paramLists.head.head.typeSignatureIn(tpe)))

  def propertyOf(method: String): Option[String] = method match {
    case ofScala if ofScala.endsWith("_=") => Some(ofScala.dropRight(2))
    case ofBean if ofBean.matches("set\\p{Lu}.*") => Some(ofBean.charAt(3).toLower.toString + ofBean.drop(4))
    case _ => None
  }
}
