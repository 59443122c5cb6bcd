/** The command line: wiring and words; the work is done by the modules below. */
@NullMarked
package io.overdrive.cli;

import org.jspecify.annotations.NullMarked;
