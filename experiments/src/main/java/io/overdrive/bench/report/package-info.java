/** Results as JSON, as text and as a page, and comparisons of two. */
@NullMarked
package io.overdrive.bench.report;

import org.jspecify.annotations.NullMarked;
