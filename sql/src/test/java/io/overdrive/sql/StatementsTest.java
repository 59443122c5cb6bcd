package io.overdrive.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** Texts of SQL, cut into statements. */
class StatementsTest {
    @Test
    void statementsEndAtSemicolonsOutsideOfTextsNamesAndComments() {
        assertThat(Statements.of("SELECT 1")).containsExactly("SELECT 1");
        assertThat(Statements.of("a;\nb ; ")).containsExactly("a", "\nb ");
        assertThat(Statements.of("SELECT 'a;''b;' ; SELECT \"x;y\""))
                .containsExactly("SELECT 'a;''b;' ", " SELECT \"x;y\"");
        assertThat(Statements.of("SELECT e'a\\';b';c")).containsExactly("SELECT e'a\\';b'", "c");
        assertThat(Statements.of("a -- ; x\n; /* ; */ b")).containsExactly("a -- ; x\n", "\n /* ; */ b");
        assertThat(Statements.of("SELECT $$a;b$$, $t$;$$;$t$; c")).containsExactly("SELECT $$a;b$$, $t$;$$;$t$", " c");
        assertThat(Statements.of(";; -- x\n;")).isEmpty();
        assertThat(Statements.of("SELECT 'open;")).containsExactly("SELECT 'open;");
    }

    @Test
    void wordsAreQuotedWhereTheyAreNames() {
        Set<String> words = Set.of("at", "left");
        assertThat(Statements.quoted("SELECT city, at, t.at+1 AS At FROM t WHERE at>0 -- at", words))
                .isEqualTo("SELECT city, \"at\", t.\"at\"+1 AS At FROM t WHERE \"at\">0 -- at");
        assertThat(Statements.quoted("left (a, 1), left, 'at', \"at\", $x$at$x$, attic, /* at */ e'\\'at'", words))
                .isEqualTo("left (a, 1), \"left\", 'at', \"at\", $x$at$x$, attic, /* at */ e'\\'at'");
    }
}
