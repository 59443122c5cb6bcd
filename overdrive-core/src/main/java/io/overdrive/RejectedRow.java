package io.overdrive;

import org.jspecify.annotations.Nullable;

/**
 * A row that could not be written, given to the handler of {@link WriteOptions.Builder#onReject}. Immutable.
 *
 * @param position the row's {@link RowBuffer#position}, by which a caller finds where it came from
 * @param attachment what {@link RowBuffer#attach} carried along, or null
 * @param reason why, with the server's words
 */
public record RejectedRow(long position, byte @Nullable [] attachment, String reason) {}
