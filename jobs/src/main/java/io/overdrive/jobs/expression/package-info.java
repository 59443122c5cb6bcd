/** Expressions over the values of a row: their syntax by EvalEx, their types, and what they compute. Knows no job. */
@NullMarked
package io.overdrive.jobs.expression;

import org.jspecify.annotations.NullMarked;
