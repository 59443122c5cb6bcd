/** The text of statements: what it says, what is added to it, and how it is prepared. */
@NullMarked
package io.overdrive.internal.cql;

import org.jspecify.annotations.NullMarked;
