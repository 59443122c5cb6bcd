/** What limits a run. */
@NullMarked
package io.overdrive.files.bottleneck;

import org.jspecify.annotations.NullMarked;
