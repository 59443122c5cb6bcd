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

  /** The constructor, and the object that encloses an inner class, which the constructor takes first. */
  @transient private lazy val how: (Constructor[_], Option[AnyRef]) = {
    val chosen = constructor
    chosen.trySetAccessible()
    (chosen, Option.when(needsOuter(chosen))(ObjectMaker.outerOf(ofClass)))
  }

  private def constructor: Constructor[_] = {
    val all = ofClass.getDeclaredConstructors
    val found = all.find(_.getParameterCount == names.size)
    val inOther = all.find(_.getParameterCount == names.size + 1)
    (if (ObjectMaker.isInner(ofClass)) inOther else found).orElse(found).orElse(inOther).getOrElse(
      throw new IllegalArgumentException(
        s"${ofClass.getName} has no constructor ${if (names.isEmpty) "without parameters" else s"with the parameters ${names.mkString(", ")}"}"))
  }

  private def needsOuter(of: Constructor[_]): Boolean = of.getParameterCount > names.size

  /** @throws IllegalArgumentException if objects cannot be made, so that this is known before a job starts */
  def requirePossible(): this.type = {
    if (needsOuter(constructor)) {
      ObjectMaker.requireOuter(ofClass, ofClass)
    }
    this
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
      parameters.map { case (_, of) => TypeConverter.forType(of) }.toIndexedSeq).requirePossible()
  }

  private def isInner(of: Class[_]): Boolean = of.isMemberClass && !Modifier.isStatic(of.getModifiers)

  private def emptyConstructor(of: Class[_]): Option[Constructor[_]] = {
    val parameters = if (isInner(of)) 1 else 0
    of.getDeclaredConstructors.find(_.getParameterCount == parameters)
  }

  private def requireOuter(ofClass: Class[_], inner: Class[_]): Unit =
    if (OuterScopes.getOuterScope(inner) == null) {
      val outer = inner.getEnclosingClass
      if (outer == null || emptyConstructor(outer).isEmpty) {
        throw new IllegalArgumentException(
          s"${ofClass.getName} is a class inside of ${if (outer == null) "another class" else outer.getName}, of which no object can be made," +
            " as it has no constructor without parameters: move the inner class into an object, or out of all classes")
      }
      if (isInner(outer)) {
        requireOuter(ofClass, outer)
      }
    }

  /** The enclosing object of the shell, or a new one. */
  private def outerOf(inner: Class[_]): AnyRef =
    Option(OuterScopes.getOuterScope(inner)).map(_.apply()).getOrElse {
      val outer = inner.getEnclosingClass
      val constructor = emptyConstructor(outer).get
      constructor.trySetAccessible()
      try constructor.newInstance((if (isInner(outer)) Seq(outerOf(outer)) else Seq.empty): _*).asInstanceOf[AnyRef]
      catch {
        case e: InvocationTargetException => throw e.getCause
      }
    }

  /** Loads the class by the class loader of the thread, which is Spark's and knows the classes of the job. */
  def classOf(tpe: Type): Class[_] = {
    val loader = Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)
    runtimeMirror(loader).runtimeClass(tpe.dealias)
  }
}
