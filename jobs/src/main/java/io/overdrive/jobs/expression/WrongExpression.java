package io.overdrive.jobs.expression;

/** An expression that cannot be computed for any row. Has no stack trace: the caller puts the message into its own exception. */
final class WrongExpression extends RuntimeException {
    final int position;

    /** @param position in the text of the assignment, from 1; 0 for none */
    WrongExpression(int position, String message) {
        super(message, null, /* enableSuppression */ false, /* writableStackTrace */ false);
        this.position = position;
    }

    /** The message with its position. */
    String shown() {
        return position == 0 ? String.valueOf(getMessage()) : "at position " + position + ", " + getMessage();
    }
}
