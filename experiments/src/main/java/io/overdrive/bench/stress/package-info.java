/**
 * An open-loop load: single operations at a given rate, sent when they are due whether or not the cluster answers. Start at {@link
 * io.overdrive.bench.stress.Stress}.
 */
@NullMarked
package io.overdrive.bench.stress;

import org.jspecify.annotations.NullMarked;
