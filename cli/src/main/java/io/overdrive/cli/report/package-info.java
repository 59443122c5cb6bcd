/** Prints the output of commands: the plan of a run, and its summary, as text or JSON. */
@NullMarked
package io.overdrive.cli.report;

import org.jspecify.annotations.NullMarked;
