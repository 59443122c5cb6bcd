/** Work on several tables of a keyspace in one run: which tables, side by side, with one journal and one summary. */
@NullMarked
package io.overdrive.jobs.tables;

import org.jspecify.annotations.NullMarked;
