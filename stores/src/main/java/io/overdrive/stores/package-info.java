/** Object stores as file systems of {@code java.nio}: their objects are read as files, and files are uploaded to them. */
@NullMarked
package io.overdrive.stores;

import org.jspecify.annotations.NullMarked;
