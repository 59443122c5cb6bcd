/** Limits of requests in flight, rate limits, how requests ended, and latencies. */
@NullMarked
package io.overdrive.internal.flow;

import org.jspecify.annotations.NullMarked;
