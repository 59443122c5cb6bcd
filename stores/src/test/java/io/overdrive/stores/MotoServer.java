package io.overdrive.stores;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Moto, a server of S3 in Python, as another process. It checks no signatures. */
final class MotoServer implements AutoCloseable {
    private static final String VERSION = "5.2.5";
    private static final Pattern PLACE = Pattern.compile("Running on (http://127\\.0\\.0\\.1:\\d+)");

    private final Process process;
    private final URI endpoint;

    private MotoServer(Process process, URI endpoint) {
        this.process = process;
        this.endpoint = endpoint;
    }

    /** Whether this machine has what moto needs. */
    static boolean canStart() throws InterruptedException {
        return run(List.of("python3", "-c", "import venv, ensurepip"));
    }

    static MotoServer start() throws Exception {
        Process process = new ProcessBuilder(python().toString(), "-m", "moto.server", "-H", "127.0.0.1", "-p", "0")
                .redirectErrorStream(true)
                .start();
        BufferedReader out = process.inputReader();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher place = PLACE.matcher(line);
            if (place.find()) {
                drain(out);
                return new MotoServer(process, URI.create(place.group(1)));
            }
        }
        process.destroyForcibly();
        throw new IOException("moto has ended before it was ready");
    }

    private static void drain(BufferedReader out) {
        Thread thread = new Thread(() -> out.lines().forEach(line -> {}), "moto-output");
        thread.setDaemon(true);
        thread.start();
    }

    /** Python with moto, in the user's cache. */
    private static Path python() throws Exception {
        Path home = Path.of(System.getProperty("user.home"), ".cache", "overdrive", "moto-" + VERSION);
        Files.createDirectories(home.getParent());
        Path installed = home.resolve("installed");
        Path python = home.resolve("bin/python");
        try (FileChannel channel = FileChannel.open(
                        home.resolveSibling(home.getFileName() + ".lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock taken = channel.lock()) {
            if (taken.isValid() && !Files.exists(installed)) {
                String wanted = "moto[s3,server]==" + VERSION;
                if (!run(List.of("python3", "-m", "venv", "--clear", home.toString()))
                        || !run(List.of(python.toString(), "-m", "pip", "install", "--quiet", wanted))) {
                    throw new IOException(wanted + " cannot be installed in " + home);
                }
                Files.createFile(installed);
            }
        }
        return python;
    }

    private static boolean run(List<String> command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            boolean hasEnded = process.waitFor(8, TimeUnit.MINUTES);
            process.destroyForcibly();
            return hasEnded && process.waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    URI endpoint() {
        return endpoint;
    }

    @Override
    public void close() throws Exception {
        process.destroyForcibly().waitFor();
    }
}
