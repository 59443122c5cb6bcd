/** The life of a request, whatever it is for: which node, one sending that ends once, back-off, patience, budget of retries. */
@NullMarked
package io.overdrive.internal.request;

import org.jspecify.annotations.NullMarked;
