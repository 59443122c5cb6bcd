package com.datastax.spark.connector.japi

import com.datastax.spark.connector.types.{TypeConverter => Converters}

import java.lang.reflect.{GenericArrayType, ParameterizedType, Type => JType, WildcardType}
import scala.reflect.runtime.universe._

/** Turns types of Java into types of Scala, with which values are read. Stateless. */
private[connector] object JavaTypes {

  /** The mirror of the types that are known, so that the same types are equal. */
  private val mirror = runtimeMirror(Converters.getClass.getClassLoader)

  /** @throws IllegalArgumentException if no value can be read as this type */
  def converter(of: JType): Converters[_] = Converters.forType(scalaType(of))

  /**
   * Like `converter`, for a class and its type parameters; reads null as null.
   *
   * @throws IllegalArgumentException if no value can be read as this type
   */
  def converterOrNull[T](of: Class[_], parameters: Class[_]*): Converters[T] =
    Converters.orNull(Converters.forType(applied(of, parameters.map(scalaType))).asInstanceOf[Converters[T]])

  /** Like `converterOrNull`, for a type. */
  def converterOrNull[T](of: TypeTag[T]): Converters[T] = Converters.orNull(Converters.forType(of.tpe)).asInstanceOf[Converters[T]]

  /** The tag of a class with its type parameters. */
  def tag[T](of: Class[_], parameters: TypeTag[_]*): TypeTag[T] = Converters.tag[T](mirror, applied(of, parameters.map(_.tpe)))

  /** The type of a case class; None for any other class. */
  def caseClass(of: Class[_]): Option[Type] =
    Option.when(classOf[Product].isAssignableFrom(of) && mirror.classSymbol(of).isCaseClass)(scalaType(of))

  private def scalaType(of: JType): Type = of match {
    case array: Class[_] if array.isArray => appliedType(typeOf[Array[Any]].typeConstructor, scalaType(array.getComponentType))
    case plain: Class[_] => applied(plain, plain.getTypeParameters.toSeq.map(_ => typeOf[AnyRef]))
    case generic: ParameterizedType => applied(generic.getRawType.asInstanceOf[Class[_]], generic.getActualTypeArguments.toSeq.map(scalaType))
    case array: GenericArrayType => appliedType(typeOf[Array[Any]].typeConstructor, scalaType(array.getGenericComponentType))
    case wildcard: WildcardType => scalaType(wildcard.getUpperBounds.head)
    case _ => typeOf[AnyRef]
  }

  private def applied(of: Class[_], parameters: Seq[Type]): Type =
    if (of == classOf[Object]) typeOf[AnyRef]
    else {
      val constructor = mirror.classSymbol(of).toTypeConstructor
      if (parameters.isEmpty) constructor else appliedType(constructor, parameters.toList)
    }
}
