/** Arrow IPC: its messages as batches of columns, and the other way round. Loaded by programs only when they read or write it. */
@NullMarked
package io.overdrive.formats.arrow;

import org.jspecify.annotations.NullMarked;
