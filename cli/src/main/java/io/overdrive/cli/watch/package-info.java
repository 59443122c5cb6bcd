/** How a run is watched: its progress, its log and its metrics. */
@NullMarked
package io.overdrive.cli.watch;

import org.jspecify.annotations.NullMarked;
