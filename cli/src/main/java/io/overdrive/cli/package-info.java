/** The command line: options, messages and wiring; the work is done by the modules below. */
@NullMarked
package io.overdrive.cli;

import org.jspecify.annotations.NullMarked;
