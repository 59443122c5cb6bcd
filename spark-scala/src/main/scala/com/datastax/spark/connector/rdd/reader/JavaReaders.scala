package com.datastax.spark.connector.rdd.reader

import com.datastax.spark.connector.cql.TableDef
import com.datastax.spark.connector.japi.{JavaTypes, CassandraRow => JavaRow}
import com.datastax.spark.connector.mapper.{ColumnMapper, ObjectMaker, Setter}
import com.datastax.spark.connector.types.TypeConverter
import com.datastax.spark.connector.ColumnRef

/** Readers that make objects of rows for Java, where the compiler adds no types. Stateless. */
private[connector] object JavaReaders {

  /** Rows as they are. */
  val rows: RowReaderFactory[JavaRow] = factory { (_, selected) =>
    val reader = new GenericReader(selected)
    new RowReader[JavaRow] {
      override def neededColumns: IndexedSeq[ColumnRef] = reader.neededColumns
      override def read(values: Array[AnyRef]): JavaRow = new JavaRow(reader.read(values))
    }
  }

  /** The first column. */
  def column[T](converter: TypeConverter[T]): RowReaderFactory[T] = factory { (_, selected) => new ValueReader(selected.take(1), converter) }

  /** Beans, by their constructor without parameters and their setters; case classes of Scala as in Scala. */
  def bean[T](ofClass: Class[T], mapper: ColumnMapper[T]): RowReaderFactory[T] = factory { (table, selected) =>
    JavaTypes.caseClass(ofClass).map(RowReaders.of(_, mapper, table, selected)).getOrElse(bySetters(ofClass, mapper, table, selected))
  }

  private def bySetters(ofClass: Class[_], mapper: ColumnMapper[_], table: TableDef, selected: IndexedSeq[ColumnRef]): RowReader[_] = {
    val all = for {
      method <- ofClass.getMethods.toSeq if method.getParameterCount == 1 && !method.isBridge
      property <- Setter.propertyOf(method.getName)
      column <- RowReaders.find(property, mapper, selected)
    } yield (column, method.getName, method.getGenericParameterTypes.head)
    val setters = all.distinctBy { case (column, _, _) => column }
    if (setters.isEmpty) {
      throw RowReaders.noProperty(s"[${table.keyspaceName}.${table.tableName}]", ofClass.getName)
    }
    new ConstructorReader(
      setters.map(_._1).toIndexedSeq,
      new ObjectMaker(ofClass, IndexedSeq.empty, IndexedSeq.empty).requirePossible(),
      mapper.allowsNull,
      setters.map { case (_, method, of) => new Setter(method, JavaTypes.converter(of)) }.toArray)
  }

  /** Tuples of the selected columns, in their order; a null is null. */
  def tuple[T](ofClass: Class[_], components: Seq[Class[_]]): RowReaderFactory[T] = factory { (table, selected) =>
    RowReaders.requireColumns(s"[${table.keyspaceName}.${table.tableName}]", ofClass.getSimpleName, components.size, selected)
    val converters = components.map(JavaTypes.converterOrNull[Any](_)).toIndexedSeq
    val names = converters.indices.map(i => s"_${i + 1}")
    new ConstructorReader(
      selected.take(components.size),
      new ObjectMaker(ofClass, names, converters),
      allowsNull = false)
  }

  /** Pairs of a key and a value. Both have all columns, but of two single columns the value has the second one. */
  def pair[K, V](keys: RowReaderFactory[K], values: RowReaderFactory[V]): RowReaderFactory[(K, V)] = factory { (table, selected) =>
    val key = keys.rowReader(table, selected)
    val value = values.rowReader(table, selected)
    val bothAreColumns = key.isInstanceOf[ValueReader] && value.isInstanceOf[ValueReader]
    new PairReader(key, if (bothAreColumns) values.rowReader(table, selected.drop(1)) else value)
  }

  private def factory[T](reader: (TableDef, IndexedSeq[ColumnRef]) => RowReader[_]): RowReaderFactory[T] = new RowReaderFactory[T] {
    override def rowReader(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowReader[T] =
      reader(table, selectedColumns).asInstanceOf[RowReader[T]]
  }
}

/** Reads a key and a value from the same row. */
private[connector] final class PairReader[K, V](key: RowReader[K], value: RowReader[V]) extends RowReader[(K, V)] {
  private val split = key.neededColumns.size

  override val neededColumns: IndexedSeq[ColumnRef] = key.neededColumns ++ value.neededColumns

  override def read(values: Array[AnyRef]): (K, V) = (key.read(values.take(split)), value.read(values.drop(split)))
}
