/** The journal of a run records finished work, so that a run that was stopped or killed can be resumed. */
@NullMarked
package io.overdrive.jobs.journal;

import org.jspecify.annotations.NullMarked;
