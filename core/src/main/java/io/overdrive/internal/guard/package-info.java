/** Holds bulk work back while it slows the cluster's users down: probes, slow gates, and what they decide. */
@NullMarked
package io.overdrive.internal.guard;

import org.jspecify.annotations.NullMarked;
