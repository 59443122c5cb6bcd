package io.overdrive;

import org.jspecify.annotations.Nullable;

/**
 * A row that could not be written, as given to the handler of {@link WriteOptions.Builder#onReject}. Immutable.
 *
 * @param position the row's {@link RowBuffer#position}, which says where in the input it came from
 * @param attachment the bytes given to {@link RowBuffer#attach}, or null
 * @param reason why it was rejected, with the server's own message
 */
public record RejectedRow(long position, byte @Nullable [] attachment, String reason) {}
