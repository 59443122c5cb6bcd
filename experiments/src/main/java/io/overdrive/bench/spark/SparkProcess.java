package io.overdrive.bench.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Spark that runs jobs one after another: spark-submit with a program in Python that asks this process for them, and executors in separate
 * processes, all on this machine. It is started once, as that takes several times as long as a small job. It ends with this object, and
 * also if this process ends. Confined to one thread.
 */
final class SparkProcess implements AutoCloseable {
    private static final String PROGRAM = "jobs.py";
    private static final int EXECUTORS = 2;
    private static final int EXECUTOR_MEGABYTES = 1024;
    static final String EXECUTOR_OPTIONS = "spark.executor.extraJavaOptions";
    /** Logs of the executors' garbage collections: {@code GC(7) Pause Young (Normal) 120M->35M(512M)}. */
    private static final String COLLECTIONS = "gc-";

    private static final Pattern HEAP_AFTER = Pattern.compile("->(\\d+)M\\(");
    /** The connector for Spark 3 is fetched in this time, too, if it has to be. */
    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(30);
    private static final int ACCEPT_MILLIS = 200;
    /** How exactly the end of a job is seen, which takes a second or more. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int LAST_LINES = 8;
    private static final String STACK_FRAME = "\tat ";
    private static final String MORE_FRAMES = "\t... ";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final BooleanSupplier stopped;
    private final Path directory;
    private final Path log;
    private final Process process;
    private @Nullable Socket socket;
    private @Nullable BufferedReader answers;
    private volatile double done;

    /**
     * Starts Spark, and waits until it can run jobs.
     *
     * @param wanted settings of Spark, which the settings of the options override
     * @param stopped whether the user wants to stop, which ends all waits
     * @throws IllegalStateException if it does not start; the message has its last lines
     */
    static SparkProcess start(
            SparkOptions options, Connector connector, Map<String, String> wanted, BooleanSupplier stopped) {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(ACCEPT_MILLIS);
            SparkProcess spark = new SparkProcess(options, connector, wanted, server.getLocalPort(), stopped);
            try {
                spark.connect(server);
                return spark;
            } catch (RuntimeException | IOException e) {
                spark.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Spark cannot be started: " + e.getMessage(), e);
        }
    }

    private SparkProcess(
            SparkOptions options, Connector connector, Map<String, String> wanted, int port, BooleanSupplier stopped)
            throws IOException {
        this.stopped = stopped;
        directory = Files.createTempDirectory("overdrive-bench-spark");
        log = directory.resolve("spark.log");
        Path program = directory.resolve(PROGRAM);
        try (InputStream text = SparkProcess.class.getResourceAsStream(PROGRAM)) {
            Files.copy(text, program);
        }
        ProcessBuilder builder = new ProcessBuilder(command(options, connector, wanted, program, port))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        Path home = options.home(connector);
        Map<String, String> environment = builder.environment();
        environment.put("PATH", home.resolve("bin") + File.pathSeparator + environment.getOrDefault("PATH", ""));
        environment.put("SPARK_LOCAL_IP", "127.0.0.1");
        if (Files.isDirectory(home.resolve("jars"))) {
            environment.put("SPARK_HOME", home.toString());
        } else {
            environment.remove("SPARK_HOME"); // Python's environment, where spark-submit searches for it
        }
        process = builder.start();
    }

    /** How many tasks run at the same time, in all executors. */
    static int tasksAtOnce() {
        return EXECUTORS * coresOfAnExecutor();
    }

    private static int coresOfAnExecutor() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / EXECUTORS);
    }

    private List<String> command(
            SparkOptions options, Connector connector, Map<String, String> wanted, Path program, int port) {
        List<String> command = new ArrayList<>(List.of(
                SparkOptions.submit(options.home(connector)).toString(),
                "--master",
                "local-cluster[" + EXECUTORS + "," + coresOfAnExecutor() + "," + EXECUTOR_MEGABYTES + "]"));
        command.addAll(connector.arguments(options));
        Map<String, String> settings = new TreeMap<>(Connector.SETTINGS);
        settings.put("spark.executor.memory", EXECUTOR_MEGABYTES + "m");
        settings.put("spark.ui.enabled", "false");
        // All executors are on the machine of all nodes, but Spark sees that of one node only, and would wait 3 s for
        // the others' machines.
        settings.put("spark.locality.wait", "0s");
        settings.putAll(wanted);
        settings.merge(
                EXECUTOR_OPTIONS,
                "-Xlog:gc:file=" + directory.resolve(COLLECTIONS + "%p"),
                (others, log) -> others + " " + log);
        settings.putAll(options.settings());
        settings.forEach((name, value) -> command.addAll(List.of("--conf", name + "=" + value)));
        command.addAll(List.of(program.toString(), Integer.toString(port)));
        return command;
    }

    private void connect(ServerSocket server) throws IOException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (socket == null) {
            try {
                socket = server.accept();
            } catch (SocketTimeoutException e) {
                requireAlive("Spark did not start");
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException(
                            "Spark did not start within " + START_TIMEOUT.toMinutes() + " minutes" + lastLines());
                }
            }
        }
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        answer("Spark did not start");
    }

    /**
     * Runs a job.
     *
     * @return the answer of jobs.py: "seconds", and the job's observed values
     * @throws IllegalStateException if it fails, Spark ends, or the user wants to stop
     */
    JsonNode run(SparkJob job) {
        done = 0;
        try {
            OutputStream jobs = open().getOutputStream();
            jobs.write((JSON.writeValueAsString(job) + "\n").getBytes(StandardCharsets.UTF_8));
            jobs.flush();
            JsonNode answer = answer("Spark ended in a job");
            done = 1;
            return answer;
        } catch (IOException e) {
            throw new IllegalStateException("Spark ended in a job (" + e.getMessage() + ")" + lastLines(), e);
        }
    }

    private Socket open() {
        if (socket == null) {
            throw new IllegalStateException("closed");
        }
        return socket;
    }

    private JsonNode answer(String ended) throws IOException {
        JsonNode answer = line(ended);
        while (answer.has("done")) {
            done = answer.get("done").asDouble();
            answer = line(ended);
        }
        if (answer.has("error")) {
            throw new IllegalStateException("the job failed in Spark: "
                    + withoutStack(answer.get("error").asText()));
        }
        return answer;
    }

    /** Java's text of an exception, without its stack frames. */
    private static String withoutStack(String error) {
        return error.strip()
                .lines()
                .filter(line -> !line.startsWith(STACK_FRAME) && !line.startsWith(MORE_FRAMES))
                .collect(Collectors.joining("\n"));
    }

    private JsonNode line(String ended) throws IOException {
        BufferedReader lines = answers;
        while (lines != null && !lines.ready()) {
            requireAlive(ended);
            LockSupport.parkNanos(POLL_NANOS);
        }
        String line = lines == null ? null : lines.readLine();
        if (line == null) {
            throw new IllegalStateException(ended + lastLines());
        }
        return parse(line);
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("jobs.py answered \"" + line + "\", which is not JSON", e);
        }
    }

    private void requireAlive(String ended) {
        if (stopped.getAsBoolean()) {
            end(process.toHandle());
            throw new IllegalStateException("stopped");
        }
        if (!process.isAlive()) {
            throw new IllegalStateException(ended + lastLines());
        }
    }

    /** The end of Spark's output, without stack frames, as the end of a message. */
    private String lastLines() {
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8).stream()
                    .filter(line -> !line.startsWith(STACK_FRAME))
                    .toList();
            return lines.isEmpty()
                    ? ", and printed nothing"
                    : ":\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
        } catch (IOException e) {
            return ", and " + log + " cannot be read";
        }
    }

    /** Whether it can run a job. */
    boolean isAlive() {
        return socket != null && process.isAlive();
    }

    /** The processor time that Spark has used, in nanoseconds: its driver, workers and executors. */
    long cpuNanos() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .mapToLong(each ->
                        each.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
                .sum();
    }

    /** The share of the tasks of the last job that are complete, if the job reports it, or is done; any thread may ask. */
    double done() {
        return done;
    }

    /**
     * The largest heap that an executor had in use after a garbage collection since there were this many, summed over the
     * executors, in megabytes; empty if one of them has had no collection since.
     */
    OptionalLong peakHeapMegabytes(Map<Path, Integer> before) {
        long sum = 0;
        Map<Path, List<Long>> collections = collections();
        for (Map.Entry<Path, List<Long>> executor : collections.entrySet()) {
            OptionalLong peak = executor.getValue().stream()
                    .skip(before.getOrDefault(executor.getKey(), 0))
                    .mapToLong(megabytes -> megabytes)
                    .max();
            if (peak.isEmpty()) {
                return peak;
            }
            sum += peak.getAsLong();
        }
        return collections.isEmpty() ? OptionalLong.empty() : OptionalLong.of(sum);
    }

    /** How many garbage collections each executor has had, by its log. */
    Map<Path, Integer> collectionCounts() {
        Map<Path, Integer> counts = new TreeMap<>();
        collections().forEach((executor, heaps) -> counts.put(executor, heaps.size()));
        return counts;
    }

    private Map<Path, List<Long>> collections() {
        try (Stream<Path> files = Files.list(directory)) {
            Map<Path, List<Long>> heaps = new TreeMap<>();
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith(COLLECTIONS))
                    .toList()) {
                Matcher matcher = HEAP_AFTER.matcher(Files.readString(file));
                heaps.put(
                        file,
                        matcher.results()
                                .map(match -> Long.parseLong(match.group(1)))
                                .toList());
            }
            return heaps;
        } catch (IOException e) {
            throw new UncheckedIOException("the log of garbage collections cannot be read: " + e.getMessage(), e);
        }
    }

    private static void end(ProcessHandle process) {
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroy();
        descendants.forEach(ProcessHandle::destroy);
    }

    @Override
    public void close() {
        try {
            if (socket != null) {
                socket.close();
                process.waitFor(END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (IOException e) {
            // the other side has closed it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        socket = null;
        end(process.toHandle());
        delete();
    }

    private void delete() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            // a temporary directory, which the system deletes
        }
    }
}
