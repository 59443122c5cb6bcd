/** How users say where and how to connect: one table of settings, for the command line and for Spark. */
@NullMarked
package io.overdrive.internal.connect;

import org.jspecify.annotations.NullMarked;
