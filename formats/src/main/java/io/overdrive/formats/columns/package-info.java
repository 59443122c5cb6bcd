/**
 * Batches of rows as columns: what columnar formats have in common. Values go from CQL bytes into columns and back without
 * text between, unless the types of a file and of a table differ.
 */
@NullMarked
package io.overdrive.formats.columns;

import org.jspecify.annotations.NullMarked;
