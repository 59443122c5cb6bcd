package com.datastax.spark.connector.mapper

import com.datastax.spark.connector.types.TypeConverter
import org.apache.spark.sql.catalyst.encoders.OuterScopes

import java.lang.reflect.{Constructor, InvocationTargetException, Modifier}
import scala.reflect.runtime.universe._

/**
 * Makes objects by the primary constructor of their class. Immutable and thread-safe; travels to executors.
 *
 * @param names of its parameters
 * @param converters for each parameter, one to its type
 */
private[connector] final class ObjectMaker(
  val ofClass: Class[_],
  val names: IndexedSeq[String],
  val converters: IndexedSeq[TypeConverter[_]]) extends Serializable {

  /** With the object that encloses a class of the shell, which its constructor takes first. */
  @transient private lazy val how: (Constructor[_], Option[AnyRef]) = {
    val all = ofClass.getDeclaredConstructors
    val found = all.find(_.getParameterCount == names.size)
    val inOther = all.find(_.getParameterCount == names.size + 1)
    val isInner = ofClass.isMemberClass && !Modifier.isStatic(ofClass.getModifiers)
    val chosen = (if (isInner) inOther else found).orElse(found).orElse(inOther).getOrElse(
      throw new IllegalArgumentException(s"${ofClass.getName} has no constructor with the parameters ${names.mkString(", ")}"))
    chosen.trySetAccessible()
    val needsOuter = chosen.getParameterCount > names.size
    (chosen, if (needsOuter) Some(Option(OuterScopes.getOuterScope(ofClass)).map(_.apply()).orNull) else None)
  }

  private val underscored = names.map(Properties.underscored)

  /** The index of the column of a parameter; -1 if there is none. */
  def columnOf(parameter: Int, columns: IndexedSeq[String]): Int = {
    val exact = columns.indexOf(names(parameter))
    if (exact >= 0) exact else columns.indexOf(underscored(parameter))
  }

  /** @param arguments in the order of the names */
  def make(arguments: Array[AnyRef]): Any =
    try {
      val constructorAndOuter = how
      constructorAndOuter._1.newInstance(constructorAndOuter._2.fold(arguments)(_ +: arguments): _*)
    } catch {
      case e: InvocationTargetException => throw e.getCause
    }
}

private[connector] object ObjectMaker {

  /** @throws IllegalArgumentException if a parameter's type cannot be read */
  def of(tpe: Type): ObjectMaker = {
    val parameters = Constructors.parameters(tpe)
    new ObjectMaker(
      classOf(tpe),
      parameters.map(_._1).toIndexedSeq,
      parameters.map { case (_, of) => TypeConverter.forType(of) }.toIndexedSeq)
  }

  /** By the class loader of the thread, which is Spark's and knows the classes of the job. */
  def classOf(tpe: Type): Class[_] = {
    val loader = Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)
    runtimeMirror(loader).runtimeClass(tpe.dealias)
  }
}
