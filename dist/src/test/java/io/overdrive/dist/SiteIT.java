package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The site of the pages, made by the command that makes it for users; the command itself checks links and code. */
@Timeout(600)
class SiteIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path SITE = Path.of("target", "site").toAbsolutePath();

    @Test
    void theSiteHasAllPagesAndNoBrokenLinks() throws Exception {
        requirePython();
        Path log = Files.createDirectories(SITE.resolveSibling("site-log")).resolve("build.txt");
        Process build = new ProcessBuilder(ROOT.resolve("site/build").toString(), SITE.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(build.waitFor(9, TimeUnit.MINUTES)).isTrue();
        assertThat(build.exitValue()).as(Files.readString(log)).isZero();
        assertThat(SITE.resolve("index.html"))
                .content()
                .contains("docs/guides/from-dsbulk.html", "docs/experiments/README.html", "CHANGELOG.html");
        for (String page : pages()) {
            assertThat(SITE.resolve(page)).isNotEmptyFile();
        }
        assertThat(SITE.resolve("searchindex.js")).content().contains("docs/guides/kubernetes");
    }

    /** The pages of the site, one for each page of docs and each report of an experiment. */
    private static List<String> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return docs.map(page -> ROOT.relativize(page).toString())
                    .filter(page -> page.endsWith(".md") || page.endsWith(".html"))
                    .map(page -> page.replaceFirst("\\.md$", ".html"))
                    .toList();
        }
    }

    private static void requirePython() throws InterruptedException {
        boolean hasPython = works("python3", "-c", "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)");
        if (!hasPython && "true".equals(System.getenv("CI"))) {
            fail("there is no python3, 3.11 or newer, with venv and pip, which makes the site: install it");
        }
        assumeTrue(hasPython, "no python3, 3.11 or newer, with venv and pip on this machine: the site is not made");
    }

    private static boolean works(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // not installed
        }
    }
}
