/** Tables that a load or a copy creates: from a sample of the input, or like the source. */
@NullMarked
package io.overdrive.jobs.create;

import org.jspecify.annotations.NullMarked;
