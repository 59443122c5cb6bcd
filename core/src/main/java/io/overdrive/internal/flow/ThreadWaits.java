package io.overdrive.internal.flow;

/**
 * How long the threads of a reader have waited since its beginning. Two that wait for a second have waited for two. Immutable.
 *
 * @param pagesNanos for pages
 * @param pacedNanos for the rate limits
 */
public record ThreadWaits(long pagesNanos, long pacedNanos) {}
