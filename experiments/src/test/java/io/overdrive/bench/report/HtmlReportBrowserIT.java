package io.overdrive.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.bench.MadeUp;
import io.overdrive.bench.Result;
import io.overdrive.bench.experiments.Experiments;
import io.overdrive.bench.ledger.LedgerFiles;
import io.overdrive.bench.ledger.LedgerPage;
import io.overdrive.bench.spark.SparkOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Reports as a browser shows them, by {@code file://}. Nothing is downloaded, by the pages or by the test. */
class HtmlReportBrowserIT {
    private static final String INSTALL =
            "Chromium and its driver are needed to look at reports: apt-get install chromium chromium-driver";

    private static Path directory;

    private static @Nullable ChromeDriver opened;

    @BeforeAll
    static void startBrowser(@TempDir Path temporary) {
        directory = temporary;
        List<File> programs = Stream.of("chromium", "chromedriver")
                .flatMap(HtmlReportBrowserIT::onPath)
                .toList();
        if ("required".equals(System.getenv("OVERDRIVE_CHROMIUM"))) {
            assertThat(programs).as(INSTALL).hasSize(2);
        }
        assumeTrue(programs.size() == 2, INSTALL);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(programs.get(0));
        options.setCapability("goog:loggingPrefs", logs);
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--window-size=1280,900",
                "--user-data-dir=" + directory.resolve("profile"),
                "about:blank");
        opened = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(programs.get(1))
                        .usingAnyFreePort()
                        .build(),
                options);
    }

    @AfterAll
    static void endBrowser() {
        if (opened != null) {
            opened.quit();
        }
    }

    @BeforeEach
    void useALightDesktopWindow() {
        browser().get("about:blank");
        browser().manage().logs().get(LogType.PERFORMANCE);
        prefer("light");
        browser().executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    }

    @Test
    void drawsEveryKindOfChartWithoutErrorsOrRequests() throws IOException {
        for (Result result : List.of(MadeUp.order(5, 1, 1), MadeUp.sizes(), MadeUp.grid(), MadeUp.strategies())) {
            open(HtmlReport.of(result));
            List<WebElement> canvases = browser().findElements(By.tagName("canvas"));
            assertThat(canvases).hasSizeGreaterThanOrEqualTo(1);
            canvases.forEach(canvas -> assertThat(colours(canvas)).isGreaterThan(3));
            assertNothingWentWrong();
        }
        open(HtmlReport.of(MadeUp.grid()));
        assertThat(browser().findElements(By.cssSelector("table.heat td"))).hasSize(49);
        assertThat(script("return new Set([...document.querySelectorAll('table.heat td')]"
                        + ".map(cell => getComputedStyle(cell).backgroundColor)).size > 20"))
                .isEqualTo(true);
    }

    @Test
    void showsQuestionVerdictAndPictureOnTheFirstScreen() throws IOException {
        open(HtmlReport.of(MadeUp.order(5, 1, 1)));
        for (String part : List.of(".question", ".checks li", "canvas")) {
            assertThat(script(
                            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                                    + "return box.height > 0 && box.top >= 0 && box.bottom < innerHeight",
                            part))
                    .as(part)
                    .isEqualTo(true);
        }
        assertThat(text("h1")).isEqualTo("Grouping & <order> of rows");
        assertThat(text(".source")).contains("</script><script>alert(1)</script>");
    }

    @Test
    void showsValuesAtThePointer() throws IOException {
        open(HtmlReport.of(MadeUp.order(5, 1, 1)));
        WebElement canvas = browser().findElement(By.tagName("canvas"));
        assertThat(tooltip(canvas)).isEmpty();
        new Actions(browser())
                .moveToElement(canvas, -canvas.getSize().getWidth() / 3, 0)
                .perform();
        waitUntil("return Chart.getChart(document.querySelector('canvas')).tooltip.opacity > 0");
        assertThat(tooltip(canvas)).contains("rows/s").contains("between").contains("n = 5");
    }

    @Test
    void hidesASeriesThatIsClickedInTheLegend() throws IOException {
        open(HtmlReport.of(MadeUp.order(5, 1, 1)));
        String visible = "return Chart.getChart(document.querySelector('canvas')).getVisibleDatasetCount()";
        assertThat(script(visible)).isEqualTo(3L);
        browser().findElement(By.cssSelector(".legend button")).click();
        assertThat(script(visible)).isEqualTo(2L);
        assertThat(browser().findElement(By.cssSelector(".legend button")).getAttribute("aria-pressed"))
                .isEqualTo("false");
        browser().findElement(By.cssSelector(".legend button")).click();
        assertThat(script(visible)).isEqualTo(3L);
        assertNothingWentWrong();
    }

    @Test
    void isDarkIfTheReaderPrefersIt() throws IOException {
        open(HtmlReport.of(MadeUp.order(5, 1, 1)));
        String background = "return getComputedStyle(document.body).backgroundColor";
        String bars = "return Chart.getChart(document.querySelector('canvas')).data.datasets[0].backgroundColor";
        Object light = script(background);
        Object lightBars = script(bars);
        prefer("dark");
        assertThat(script(background)).isNotEqualTo(light);
        waitUntil("return Chart.getChart(document.querySelector('canvas')).data.datasets[0].backgroundColor !== '"
                + lightBars + "'");
        browser().findElements(By.tagName("canvas")).forEach(canvas -> assertThat(colours(canvas))
                .isGreaterThan(3));
        assertNothingWentWrong();
    }

    @Test
    void doesNotScrollSidewaysOnAPhone() throws IOException {
        browser()
                .executeCdpCommand(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of("width", 390, "height", 844, "deviceScaleFactor", 2, "mobile", true));
        List<Result> results = List.of(MadeUp.order(5, 1, 1), MadeUp.sizes(), MadeUp.grid(), MadeUp.strategies());
        List<String> pages =
                new ArrayList<>(results.stream().map(HtmlReport::of).toList());
        pages.add(HtmlReport.suite(results));
        pages.add(HtmlReport.of(Comparison.of(MadeUp.order(5, 1, 1), MadeUp.order(5, 9, 1.12))));
        pages.add(ledger());
        for (String page : pages) {
            open(page);
            assertThat(script("return document.documentElement.scrollWidth")).isEqualTo(390L);
            assertNothingWentWrong();
        }
    }

    @Test
    void listsAllRunsAndOffersThemAsJson() throws IOException {
        Result result = MadeUp.order(5, 1, 1);
        open(HtmlReport.of(result));
        browser().findElement(By.cssSelector("#runs summary")).click();
        waitUntil("return document.querySelectorAll('#runs tbody tr').length === 45");
        browser()
                .executeCdpCommand(
                        "Browser.setDownloadBehavior",
                        Map.of(
                                "behavior",
                                "allow",
                                "downloadPath",
                                directory.resolve("downloads").toString()));
        browser().findElement(By.id("download")).click();
        Path file = directory.resolve("downloads").resolve("made-up-order.json");
        new WebDriverWait(browser(), Duration.ofSeconds(60)).until(driver -> Files.exists(file));
        assertThat(Results.read(file)).isEqualTo(result);
        assertNothingWentWrong();
    }

    @Test
    void printsInLightColours() throws IOException {
        prefer("dark");
        open(HtmlReport.of(MadeUp.order(5, 1, 1)));
        script("window.printed = [];"
                + "addEventListener('beforeprint', () => printed.push(getComputedStyle(document.body).backgroundColor,"
                + " Chart.getChart(document.querySelector('canvas')).data.datasets[0].backgroundColor))");
        Map<String, Object> pdf = browser().executeCdpCommand("Page.printToPDF", Map.of("printBackground", true));
        assertThat(Base64.getDecoder().decode((String) Objects.requireNonNull(pdf.get("data"))))
                .hasSizeGreaterThan(20_000);
        assertThat(script("return printed.join()")).isEqualTo("rgb(253, 253, 252),#0072b2");
        assertThat(script("return document.documentElement.hasAttribute('data-print')"))
                .isEqualTo(false);
    }

    @Test
    void linksTheExperimentsOfASuite() throws IOException {
        Path page = directory.resolve("made-up-grid.html");
        Files.writeString(page, HtmlReport.of(MadeUp.grid()));
        open(HtmlReport.suite(List.of(MadeUp.order(5, 1, 1), MadeUp.grid())));
        browser().findElement(By.linkText("Page size and concurrency")).click();
        assertThat(text("h1")).isEqualTo("Page size and concurrency");
        assertNothingWentWrong();
    }

    @Test
    void drawsIntervalsOfAComparison() throws IOException {
        open(HtmlReport.of(Comparison.of(MadeUp.order(5, 1, 1), MadeUp.order(5, 9, 1.12))));
        assertThat(browser().findElements(By.cssSelector("svg circle.better"))).hasSizeGreaterThan(3);
        assertThat(text(".notice")).contains("Cassandra was 5.0.9 and is 5.0.10");
        assertNothingWentWrong();
    }

    @Test
    void theLedgerFindsTheRowsOfASlide() throws IOException {
        open(ledger());
        assertThat(browser().findElements(By.cssSelector("article"))).hasSize(133);
        browser().findElement(By.id("find")).sendKeys("slide 23");
        String shown = "return [...document.querySelectorAll('article:not([hidden])')].map(row => row.id).join()";
        assertThat(script(shown)).isEqualTo("s23");
        assertThat(text("#s23")).contains("2.75 times", "4.18 times (3.30 to 5.29)");
        // a link of the index leads to a row that was hidden
        browser().findElement(By.linkText("31")).click();
        waitUntil("return !document.getElementById('s33').hidden");
        assertThat(script("const row = document.getElementById('s33').getBoundingClientRect();"
                        + "return row.top >= 0 && row.top < innerHeight"))
                .isEqualTo(true);
        assertNothingWentWrong();
    }

    private static String ledger() {
        return LedgerPage.of(
                LedgerFiles.of(Path.of("../docs/experiments"), Experiments.all(SparkOptions.NONE))
                        .ledger(),
                "",
                null);
    }

    private void open(String page) throws IOException {
        Path file = directory.resolve("page.html");
        Files.writeString(file, page);
        browser().get(file.toUri().toString());
    }

    private void assertNothingWentWrong() {
        assertThat(browser().manage().logs().get(LogType.BROWSER).getAll()).isEmpty();
        ObjectMapper json = new ObjectMapper();
        assertThat(browser().manage().logs().get(LogType.PERFORMANCE).getAll())
                .isNotEmpty()
                .allSatisfy(entry -> {
                    JsonNode message = json.readTree(entry.getMessage()).path("message");
                    if (message.path("method").asText().equals("Network.requestWillBeSent")) {
                        assertThat(message.at("/params/request/url").asText()).matches("(file|blob):.*");
                    }
                });
    }

    /** The number of colours in it: only the background if nothing was drawn. */
    private long colours(WebElement canvas) {
        return (Long) script(
                "const image = arguments[0].getContext('2d').getImageData(0, 0, arguments[0].width, arguments[0].height);"
                        + "return new Set(new Uint32Array(image.data.buffer)).size",
                canvas);
    }

    private void prefer(String scheme) {
        browser()
                .executeCdpCommand(
                        "Emulation.setEmulatedMedia",
                        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    private String tooltip(WebElement canvas) {
        return (String) script(
                "const tooltip = Chart.getChart(arguments[0]).tooltip;"
                        + "return tooltip.opacity === 0 ? '' : [...tooltip.title,"
                        + " ...tooltip.body.flatMap(part => [...part.lines, ...part.after])].join(' ')",
                canvas);
    }

    private String text(String selector) {
        return browser().findElement(By.cssSelector(selector)).getText();
    }

    private void waitUntil(String condition) {
        new WebDriverWait(browser(), Duration.ofSeconds(60)).until(driver -> Boolean.TRUE.equals(script(condition)));
    }

    private Object script(String script, Object... arguments) {
        return Objects.requireNonNullElse(browser().executeScript(script, arguments), "");
    }

    private ChromeDriver browser() {
        return Objects.requireNonNull(opened);
    }

    private static Stream<File> onPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> new File(directory, program))
                .filter(File::canExecute)
                .limit(1);
    }
}
