/** Micro-benchmarks of core and files. */
@NullMarked
package io.overdrive.jmh;

import org.jspecify.annotations.NullMarked;
