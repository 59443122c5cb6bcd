/** The text of statements: how it is read, extended and prepared. */
@NullMarked
package io.overdrive.internal.cql;

import org.jspecify.annotations.NullMarked;
