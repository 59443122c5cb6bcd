/** Parquet: its pages as batches of columns, and the other way round. Loaded by programs only when they read or write it. */
@NullMarked
package io.overdrive.formats.parquet;

import org.jspecify.annotations.NullMarked;
