package io.overdrive;

import java.util.Arrays;

/** Waits until threads wait themselves, at a known place: no sleep shows that nothing happens. */
public final class Threads {
    private static final int POLL_MILLIS = 5;

    private Threads() {}

    /** Returns when the thread waits in a method of this class. */
    public static void awaitInside(Class<?> type, Thread thread) throws InterruptedException {
        while (!isWaitingInside(type, thread, thread.getStackTrace())) {
            if (!thread.isAlive()) {
                throw new AssertionError(thread + " has ended, and was to wait in " + type);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Returns when any thread waits in a method of this class. */
    public static void awaitAnyInside(Class<?> type) throws InterruptedException {
        while (Thread.getAllStackTraces().entrySet().stream()
                .noneMatch(each -> isWaitingInside(type, each.getKey(), each.getValue()))) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static boolean isWaitingInside(Class<?> type, Thread thread, StackTraceElement[] stack) {
        return (thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING)
                && Arrays.stream(stack).anyMatch(each -> each.getClassName().equals(type.getName()));
    }
}
