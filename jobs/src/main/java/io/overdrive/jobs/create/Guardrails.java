package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import io.overdrive.Overdrive;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.write.ServerSettings;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of a node by which Cassandra, from 4.1 on, limits schemas and rows: its guardrails. They apply to users who have logged in and
 * are no superusers. Immutable.
 *
 * @param settings of the node, without those that have no value; empty if it does not report them
 * @param apply whether they apply to this user, as far as that is known
 * @param isHidden whether the user may not read them
 */
record Guardrails(Map<String, String> settings, boolean apply, boolean isHidden) {
    private static final Logger LOG = LoggerFactory.getLogger(Guardrails.class);
    private static final String FAIL = "_fail_threshold";
    private static final String WARN = "_warn_threshold";

    Guardrails {
        settings = Map.copyOf(settings);
    }

    /** Asks a node. */
    static Guardrails of(Overdrive overdrive) {
        Map<String, String> settings = new HashMap<>();
        try {
            for (Row row : overdrive.session().execute(OwnQuery.of("SELECT name, value FROM system_views.settings"))) {
                String value = row.getString(1);
                if (value != null) {
                    settings.put(String.valueOf(row.getString(0)), value);
                }
            }
        } catch (DriverException e) {
            LOG.debug("the server does not report its settings: {}", e.getMessage());
            return new Guardrails(Map.of(), /* apply */ false, e instanceof UnauthorizedException);
        }
        return new Guardrails(settings, hasUsers(settings) && !isSuperuser(overdrive), /* isHidden */ false);
    }

    /** Whether users log in; all are superusers otherwise. */
    static boolean hasUsers(Map<String, String> settings) {
        return !settings.getOrDefault("authenticator", "").endsWith("AllowAllAuthenticator");
    }

    private static boolean isSuperuser(Overdrive overdrive) {
        String user = overdrive.username().orElse("");
        try {
            return !user.isEmpty()
                    && overdrive
                            .session()
                            .execute(OwnQuery.of("LIST ROLES OF "
                                    + CqlIdentifier.fromInternal(user).asCql(/* pretty */ false)))
                            .all()
                            .stream()
                            .anyMatch(role -> role.getBoolean("super"));
        } catch (DriverException e) {
            LOG.debug("the roles of {} are not known: {}", user, e.getMessage());
            return false;
        }
    }

    /** The name of the setting from which on a guardrail refuses. */
    static String failing(String guardrail) {
        return guardrail + FAIL;
    }

    /** The name of the setting from which on a guardrail warns. */
    static String warning(String guardrail) {
        return guardrail + WARN;
    }

    /** A number or size of a guardrail, as the server writes it; empty if it is not set, or does not apply. */
    String limit(String setting) {
        String value = apply ? settings.getOrDefault(setting, "") : "";
        return value.equals("-1") || value.equals("null") ? "" : value;
    }

    /** A number of a guardrail. */
    OptionalLong number(String setting) {
        String value = limit(setting);
        return value.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(value)) : OptionalLong.empty();
    }

    /** A size of a guardrail in bytes. */
    OptionalLong bytes(String setting) {
        return ServerSettings.bytesOf(limit(setting));
    }

    /** Whether a guardrail switches something off. */
    boolean disables(String setting) {
        return limit(setting).equals("false");
    }

    /** Whether a guardrail does not allow a value: {@code [ANY, ALL]} has two. */
    boolean disallows(String guardrail, String value) {
        String values = limit(guardrail + "_disallowed").replaceAll("[\\[\\]{}\\s]", "");
        return Arrays.asList(values.split(",")).contains(value);
    }
}
