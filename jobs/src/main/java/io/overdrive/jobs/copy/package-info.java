/** Copies one table to another, without files. */
@NullMarked
package io.overdrive.jobs.copy;

import org.jspecify.annotations.NullMarked;
