/**
 * Shared parts of the jobs of this module: the mapping of fields to columns, the limit of rejects, and the summary.
 * Each job has its own package. Public types are for other modules of Overdrive, not for users.
 */
@NullMarked
package io.overdrive.jobs;

import org.jspecify.annotations.NullMarked;
