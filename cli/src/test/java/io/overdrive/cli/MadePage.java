package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** A page of docs with parts that a test makes; {@code -Dpages.write=true} writes them. Immutable. */
record MadePage(Path file) {
    /** A page by its path in docs. */
    static MadePage of(String name) {
        return new MadePage(Path.of("..", "docs").resolve(name));
    }

    /** Compares the page with the complete one, or writes that. */
    void check(UnaryOperator<String> complete) throws IOException {
        String page = Files.readString(file);
        String made = complete.apply(page);
        if (Boolean.getBoolean("pages.write")) {
            Files.writeString(file, made);
        } else {
            assertThat(page)
                    .as("run this test with -Dpages.write=true to update the page")
                    .isEqualTo(made);
        }
    }

    /** The page with another part between two marks. */
    static String replaced(String page, String start, String part, String end) {
        int from = page.indexOf(start) + start.length();
        return page.substring(0, from) + part + page.substring(page.indexOf(end, from));
    }
}
