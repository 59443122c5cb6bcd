/**
 * What the jobs of this module share: which field goes to which column, how many rejects are too many, what a job's end is.
 * Each job has a package. Public types are for other modules of Overdrive, not for users.
 */
@NullMarked
package io.overdrive.files;

import org.jspecify.annotations.NullMarked;
