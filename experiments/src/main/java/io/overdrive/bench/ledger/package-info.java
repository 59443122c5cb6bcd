/** The claims of five documents beside what was measured: the page and the JSON of {@code overdrive bench ledger}. */
@NullMarked
package io.overdrive.bench.ledger;

import org.jspecify.annotations.NullMarked;
