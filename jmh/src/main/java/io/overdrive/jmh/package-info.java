/** Micro-benchmarks of core, formats, sstable and jobs. */
@NullMarked
package io.overdrive.jmh;

import org.jspecify.annotations.NullMarked;
