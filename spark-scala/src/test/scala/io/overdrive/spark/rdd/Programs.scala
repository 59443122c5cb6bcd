package io.overdrive.spark.rdd

import org.junit.jupiter.api.Assertions.assertTrue

import java.io.File
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import scala.jdk.CollectionConverters._
import scala.util.Using

/** Runs programs of users, each in a separate JVM with the jar for users and Spark's own jars. */
object Programs {
  val Bundle: Path = Path.of("target", "overdrive-spark-scala-bundle.jar").toAbsolutePath

  /** Spark's jars and Scala's, without ours, the driver's, those of tests, and that of DStreams, which no program of these tests uses. */
  def sparksJars: Seq[String] = {
    val without = "spark-streaming|overdrive|java-driver|native-protocol|config-\\d|reactive-streams|HdrHistogram|junit|assertj|opentest4j|apiguardian"
    System.getProperty("java.class.path").split(File.pathSeparator).toSeq.filter(path =>
      path.endsWith(".jar") && s"^($without)".r.findFirstIn(Path.of(path).getFileName.toString).isEmpty)
  }

  /**
   * A directory with the class files of a program only.
   *
   * @param names what the names of its classes begin with
   */
  def classes(names: String*): Path = {
    val classes = Files.createTempDirectory("classes")
    val tests = Path.of("target", "test-classes")
    Using.resource(Files.walk(tests))(_.iterator.asScala
      .filter(file => names.exists(name => file.getFileName.toString.matches(s"$name(\\$$.*)?\\.class")))
      .foreach { file =>
        val target = classes.resolve(tests.relativize(file).toString)
        Files.createDirectories(target.getParent)
        Files.copy(file, target)
      })
    classes
  }

  /** The output of the program, also to its standard error. */
  def run(classPath: Seq[Path], main: String, environment: Map[String, String], arguments: String*): String = {
    val log = Files.createTempFile("program", ".log")
    val opens = System.getProperty("spark.opens").split(" ").toSeq
    val jvm = System.getProperty("test.jvm")
    val command = Seq(Path.of(System.getProperty("java.home"), "bin", "java").toString, "-Xmx512m") ++ jvm.split(" ") ++ opens ++
      Seq(s"-Dspark.executor.extraJavaOptions=$jvm", "-cp", (classPath.map(_.toString) ++ sparksJars).mkString(File.pathSeparator), s"io.overdrive.spark.rdd.$main") ++ arguments
    val builder = new ProcessBuilder(command.asJava).redirectErrorStream(true).redirectOutput(log.toFile)
    builder.environment.putAll(environment.asJava)
    val process = builder.start()
    try assertTrue(process.waitFor(4, TimeUnit.MINUTES), () => s"$main does not end:\n${Files.readString(log)}")
    finally {
      process.descendants.forEach(child => child.destroyForcibly())
      process.destroyForcibly()
    }
    Files.readString(log)
  }
}
