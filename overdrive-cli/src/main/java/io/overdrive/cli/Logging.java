package io.overdrive.cli;

/** Sets up slf4j-simple. The last call before the first logger is created decides. */
final class Logging {
    private static final String PREFIX = "org.slf4j.simpleLogger.";
    private static boolean verbose;

    private Logging() {}

    /** Our messages from WARN; none of libraries, because users get their failures as error messages. */
    static void quiet() {
        verbose = false;
        set("defaultLogLevel", "off");
        set("log.io.overdrive", "warn");
        set("showThreadName", "false");
        set("showLogName", "false");
        set("levelInBrackets", "true");
    }

    static void verbose() {
        verbose = true;
        set("defaultLogLevel", "warn");
        set("log.io.overdrive", "debug");
        set("showDateTime", "true");
        set("showThreadName", "true");
        set("showShortLogName", "true");
    }

    static boolean isVerbose() {
        return verbose;
    }

    private static void set(String key, String value) {
        System.setProperty(PREFIX + key, value);
    }
}
