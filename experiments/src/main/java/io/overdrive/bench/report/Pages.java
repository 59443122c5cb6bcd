package io.overdrive.bench.report;

import com.samskivert.mustache.Mustache;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Pages of HTML in one file that loads nothing from the network, in the style of all reports. Templates are of Mustache, which escapes all that goes
 * into them. Stateless.
 */
public final class Pages {
    private Pages() {}

    /**
     * Makes a page from a template.
     *
     * @param owner a class beside whose template it is; parts that are not there are those of the experiments' pages
     * @param view the values that go into it
     */
    public static String render(Class<?> owner, String template, Map<String, Object> view) {
        Map<String, Object> page = new HashMap<>(view);
        page.put("css", text(Pages.class, "report.css"));
        return Mustache.compiler()
                .withLoader(name -> new StringReader(part(owner, name + ".html")))
                .compile(text(owner, template))
                .execute(page);
    }

    private static String part(Class<?> owner, String name) {
        return text(owner.getResource(name) == null ? Pages.class : owner, name);
    }

    /** The text of a file beside a class. */
    public static String text(Class<?> owner, String name) {
        try (@Nullable InputStream in = owner.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
