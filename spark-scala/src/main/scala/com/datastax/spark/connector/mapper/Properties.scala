package com.datastax.spark.connector.mapper

import java.lang.reflect.{InvocationTargetException, Method, Modifier}
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

/**
 * The properties of objects of a class: public methods that return a field of the same name, as Scala and records have them, and getters
 * of beans. Other methods without parameters, such as hashCode, are none. Immutable and thread-safe.
 */
private[connector] final class Properties private (ofClass: Class[_]) {
  private val methods: Seq[Method] = ofClass.getMethods.toSeq.filter(method =>
    method.getParameterCount == 0 && !Modifier.isStatic(method.getModifiers) && method.getReturnType != Void.TYPE &&
      method.getDeclaringClass != classOf[Object] && !method.isBridge)

  private val fields: Set[String] =
    Iterator.iterate[Class[_]](ofClass)(_.getSuperclass).takeWhile(_ != null).flatMap(_.getDeclaredFields).map(_.getName).toSet

  /** A trait's value is an abstract method, and so is one of an abstract class. */
  private val accessors: Map[String, Method] = methods
    .filter(method => fields(method.getName) || Modifier.isAbstract(method.getModifiers))
    .map(method => method.getName -> method)
    .toMap

  private val byProperty: Map[String, Method] =
    methods.flatMap(method => Properties.beanProperty(method.getName).map(_ -> method)).toMap ++ accessors

  private val byColumn: Map[String, Method] =
    byProperty.map { case (name, method) => Properties.underscored(name) -> method } ++ byProperty

  byProperty.values.foreach(_.trySetAccessible())

  /** The names in the class; a property may have two names. */
  def names: Iterable[String] = byProperty.keys

  /** The method of a property; or else, of one whose name in words separated by underscores is this one. */
  def find(name: String): Option[Method] = byColumn.get(name)

  /**
   * The value of a property.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  def read(from: AnyRef, name: String): Any =
    Properties.read(
      find(name).getOrElse(
        throw new IllegalArgumentException(s"${ofClass.getSimpleName} has no property $name, which the type has as a field")),
      from)
}

private[connector] object Properties {
  private val known = new ConcurrentHashMap[Class[_], Properties]
  private val Bean = "(?:get|is)(\\p{Lu}.*)".r

  def of(ofClass: Class[_]): Properties = known.computeIfAbsent(ofClass, new Properties(_))

  private def beanProperty(method: String): Option[String] = method match {
    case Bean(name) => Some(name.head.toLower.toString + name.tail)
    case _ => None
  }

  /** The border between two words of a name in camel case; numbers are words, too. */
  private val Border = "(?<=\\p{Ll})(?=\\p{Lu})|(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})|(?<=\\p{L})(?=\\d)|(?<=\\d)(?=\\p{L})".r

  /** A name in camel case as words in lower case that are separated by underscores. */
  def underscored(name: String): String = Border.replaceAllIn(name, "_").toLowerCase(Locale.ROOT)

  /** Calls the method; throws the exception that the method throws. */
  def read(method: Method, from: AnyRef): Any =
    try method.invoke(from)
    catch {
      case e: InvocationTargetException => throw e.getCause
    }
}
