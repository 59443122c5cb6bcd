/** Micro-benchmarks of core, files and sstable. */
@NullMarked
package io.overdrive.jmh;

import org.jspecify.annotations.NullMarked;
