package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GuardrailsTest {
    /** Settings of Cassandra 4.1.10 without a guardrail. */
    private static final String UNSET_41 =
            """
            authenticator=PasswordAuthenticator
            collection_size_fail_threshold=
            columns_per_table_fail_threshold=-1
            items_per_collection_fail_threshold=-1
            materialized_views_enabled=true
            max_mutation_size=16384KiB
            table_properties_disallowed=[]
            tables_fail_threshold=-1
            uncompressed_tables_enabled=true
            user_timestamps_enabled=true
            write_consistency_levels_disallowed=[]
            """;
    /** Settings of Cassandra 5.0.9 with some guardrails. */
    private static final String SET_50 =
            """
            authenticator=PasswordAuthenticator
            authenticator.class_name=PasswordAuthenticator
            collection_size_fail_threshold=1KiB
            column_value_size_fail_threshold=2KiB
            columns_per_table_fail_threshold=6
            columns_per_table_warn_threshold=4
            minimum_timestamp_fail_threshold=1h
            partition_size_fail_threshold=1MiB
            table_properties_disallowed=[cdc]
            tables_fail_threshold=30
            user_timestamps_enabled=false
            write_consistency_levels_disallowed=[ANY, ALL]
            """;

    static Map<String, String> settings(String lines) {
        return lines.lines()
                .filter(each -> !each.endsWith("=")) // null in the table
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));
    }

    private static Guardrails of(String lines) {
        return new Guardrails(settings(lines), /* apply */ true, /* isHidden */ false);
    }

    @Test
    void limitsThatAreNotSetAreNone() {
        Guardrails none = of(UNSET_41);
        assertThat(none.limit("collection_size_fail_threshold")).isEmpty();
        assertThat(none.number("columns_per_table_fail_threshold")).isEmpty();
        assertThat(none.bytes("collection_size_fail_threshold")).isEmpty();
        assertThat(none.number("vector_dimensions_fail_threshold")).isEmpty();
        assertThat(none.disables("user_timestamps_enabled")).isFalse();
        assertThat(none.disallows("write_consistency_levels", "ALL")).isFalse();
    }

    @Test
    void readsNumbersSizesAndNames() {
        Guardrails set = of(SET_50);
        assertThat(set.number("columns_per_table_fail_threshold")).hasValue(6);
        assertThat(set.bytes("partition_size_fail_threshold")).hasValue(1 << 20);
        assertThat(set.limit("minimum_timestamp_fail_threshold")).isEqualTo("1h");
        assertThat(set.disables("user_timestamps_enabled")).isTrue();
        assertThat(set.disallows("write_consistency_levels", "ALL")).isTrue();
        assertThat(set.disallows("write_consistency_levels", "ANY")).isTrue();
        assertThat(set.disallows("write_consistency_levels", "LOCAL_QUORUM")).isFalse();
    }

    /** Cassandra lets superusers pass, and everyone is one where no one logs in. */
    @Test
    void theyDoNotApplyToSuperusers() {
        Guardrails exempt = new Guardrails(settings(SET_50), /* apply */ false, /* isHidden */ false);
        assertThat(exempt.limit("tables_fail_threshold")).isEmpty();
        assertThat(exempt.disables("user_timestamps_enabled")).isFalse();
        assertThat(exempt.disallows("write_consistency_levels", "ALL")).isFalse();
        assertThat(Guardrails.hasUsers(Map.of("authenticator", "AllowAllAuthenticator")))
                .isFalse();
        assertThat(Guardrails.hasUsers(Map.of("authenticator", "org.apache.cassandra.auth.AllowAllAuthenticator")))
                .isFalse();
        assertThat(Guardrails.hasUsers(settings(SET_50))).isTrue();
    }
}
