/** Where rows live: tokens and replicas. */
@NullMarked
package io.overdrive.internal.ring;

import org.jspecify.annotations.NullMarked;
