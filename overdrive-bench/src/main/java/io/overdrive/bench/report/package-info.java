/** Results as JSON, as text and as a page, and two of them compared. */
@NullMarked
package io.overdrive.bench.report;

import org.jspecify.annotations.NullMarked;
