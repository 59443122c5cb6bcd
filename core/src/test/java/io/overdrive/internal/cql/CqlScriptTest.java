package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.internal.cql.CqlScript.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class CqlScriptTest {
    private static List<Statement> statements(String text) {
        CqlScript script = CqlScript.of(text);
        List<Statement> all = new ArrayList<>();
        for (Statement next = script.next(); next != null; next = script.next()) {
            all.add(next);
        }
        return all;
    }

    private static List<String> texts(String text) {
        return statements(text).stream().map(Statement::cql).toList();
    }

    @Test
    void splitsAtSemicolonsAndTheLastOneNeedsNone() {
        assertThat(texts("a; b;;\n ;c")).containsExactly("a", "b", "c");
        assertThat(texts(" \n-- nothing\n/* at\nall */ // here\n")).isEmpty();
    }

    @Test
    void aSemicolonInQuotesEndsNothing() {
        assertThat(texts("a 'x;''y;'; b \"p;\"\"q;\"; c $$ r; ' \" $$ d; e"))
                .containsExactly("a 'x;''y;'", "b \"p;\"\"q;\"", "c $$ r; ' \" $$ d", "e");
        assertThat(texts("a '\n;\n'; b")).containsExactly("a '\n;\n'", "b");
    }

    @Test
    void commentsAreNoStatementsAndMayHoldAnything() {
        assertThat(texts("a -- b; 'c\n d; // e;\n f /* g; ' \n */ h; '-- i; /* j'"))
                .containsExactly("a \n d", "f /* g; ' \n */ h", "'-- i; /* j'");
    }

    @Test
    void aBatchIsOneStatement() {
        assertThat(texts("BEGIN BATCH a; b;\nAPPLY BATCH; c; begin unlogged batch d; apply  batch"))
                .containsExactly("BEGIN BATCH a; b;\nAPPLY BATCH", "c", "begin unlogged batch d; apply  batch");
    }

    @Test
    void eachStatementHasItsPosition() {
        assertThat(statements("a;  b;\n\n-- x\n  c\n d; /* y */ e"))
                .containsExactly(
                        new Statement("a", 1, 1),
                        new Statement("b", 1, 5),
                        new Statement("c\n d", 4, 3),
                        new Statement("e", 5, 13));
    }

    @Test
    void anOpenQuoteIsReportedWithItsPosition() {
        assertThatThrownBy(() -> statements("a;\n b 'c; d"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("line 2, column 4: the quote that starts here is not closed");
        assertThatThrownBy(() -> statements("/* a"))
                .hasMessage("line 1, column 1: the comment that starts here is not closed");
    }

    @Test
    void aStatementIsReturnedBeforeTheNextLineIsRead() {
        Iterator<String> lines = List.of("a", "b; c").iterator();
        List<Boolean> continued = new ArrayList<>();
        CqlScript script = new CqlScript(goesOn -> {
            continued.add(goesOn);
            return lines.next();
        });
        assertThat(script.next()).isEqualTo(new Statement("a\nb", 1, 1));
        assertThat(continued).containsExactly(false, true);
        assertThat(lines).isExhausted();
    }
}
