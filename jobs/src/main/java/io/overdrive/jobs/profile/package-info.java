/** Profiles of files and tables: columns, partitions, keys, and what follows from them for a load. */
@NullMarked
package io.overdrive.jobs.profile;

import org.jspecify.annotations.NullMarked;
