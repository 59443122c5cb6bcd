package io.overdrive.spark.config;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.spark.SparkConf;
import org.jspecify.annotations.Nullable;

/** The factories that settings name, and the settings that are for them. Plans (on the driver). Thread-safe. */
final class CredentialsFactories {
    /** Settings that programs have registered because they read them themselves. */
    private static final Set<String> REGISTERED = new ConcurrentSkipListSet<>(String.CASE_INSENSITIVE_ORDER);

    private CredentialsFactories() {}

    static void register(String setting) {
        REGISTERED.add(setting);
    }

    /** The settings that are not of this connector, but for the factories that these configurations name; letter case does not matter. */
    static Set<String> ownSettings(Iterable<Map<String, String>> configurations) {
        Set<String> own = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        own.addAll(REGISTERED);
        configurations.forEach(configuration -> configuration.forEach((key, value) -> {
            String name = key.substring(key.indexOf('/') + 1);
            if (isFactory(name) && !isDefault(value)) {
                own.addAll(load(name, value.strip()).ownSettings());
            }
        }));
        own.removeIf(SettingNames::isKnown); // a factory may list the user's name, too
        return own;
    }

    /**
     * Puts user and password in the place of a factory.
     *
     * @param level settings that were given in one place
     * @param all settings of application and session, which the factory gets in addition to those of the level
     */
    static void apply(Map<String, String> level, Map<String, String> all) {
        String name = Setting.AUTH_FACTORY.optionNames().stream()
                .filter(level::containsKey)
                .findFirst()
                .orElse(null);
        String given = name == null ? null : level.get(name);
        if (name == null || given == null || isDefault(given)) {
            return;
        }
        SparkConf conf = new SparkConf(/* loadDefaults */ false);
        all.forEach(conf::set);
        level.forEach(conf::set);
        String factory = given.strip();
        CredentialsFactory.Credentials credentials;
        try {
            credentials = load(name, factory).credentials(conf);
        } catch (IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" is \"" + factory + "\", which gives no user and password: " + e, e);
        }
        Setting.AUTH_FACTORY.optionNames().forEach(level::remove);
        Setting.USERNAME.optionNames().forEach(level::remove);
        Setting.PASSWORD.optionNames().forEach(level::remove);
        if (credentials != null) {
            level.put(Setting.PREFIX + Setting.USERNAME.option, credentials.username());
            level.put(Setting.PREFIX + Setting.PASSWORD.option, credentials.password());
        }
    }

    private static boolean isFactory(String name) {
        return Setting.AUTH_FACTORY.optionNames().stream().anyMatch(name::equalsIgnoreCase);
    }

    /** It reads user and password from their settings, as this connector does. */
    private static boolean isDefault(String factory) {
        return factory.strip().matches("com\\.datastax\\.spark\\.connector\\.cql\\.DefaultAuthConfFactory\\$?");
    }

    /** An object of Scala, or an instance of a class. */
    private static CredentialsFactory load(String setting, String name) {
        Object factory;
        try {
            Class<?> object = found(name.endsWith("$") ? name : name + "$");
            factory = object != null
                    ? object.getField("MODULE$").get(null)
                    : Class.forName(name, true, loader())
                            .getDeclaredConstructor()
                            .newInstance();
        } catch (ClassNotFoundException e) {
            throw wrong(
                    setting, name, "and there is no such class: Spark's driver needs its jar (spark-submit --jars)", e);
        } catch (NoClassDefFoundError e) {
            throw wrong(
                    setting,
                    name,
                    "which needs " + e.getMessage()
                            + ": an AuthConfFactory needs overdrive-spark-scala_2.13 in place of"
                            + " overdrive-spark_2.13",
                    e);
        } catch (ReflectiveOperationException e) {
            throw wrong(setting, name, "which has no public constructor without parameters that works", e);
        }
        if (factory instanceof CredentialsFactory credentials) {
            return credentials;
        }
        throw wrong(setting, name, "must be a com.datastax.spark.connector.cql.AuthConfFactory", null);
    }

    private static @Nullable Class<?> found(String name) {
        try {
            return Class.forName(name, true, loader());
        } catch (ClassNotFoundException e) {
            return null; // a class, and no object
        }
    }

    private static ClassLoader loader() {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        return ofThread != null ? ofThread : CredentialsFactories.class.getClassLoader();
    }

    private static IllegalArgumentException wrong(String setting, String name, String why, @Nullable Throwable cause) {
        return new IllegalArgumentException("\"" + setting + "\" is \"" + name + "\", " + why, cause);
    }
}
