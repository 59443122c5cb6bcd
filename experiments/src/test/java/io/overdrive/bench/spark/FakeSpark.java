package io.overdrive.bench.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * A spark-submit without Spark, which answers as jobs.py does: to the query "arguments" with its own arguments; to "fail" with an error; to
 * "end" by ending. "half" fails after it has said that half of the tasks are complete. After "collect 1 900 50", executor 1 has logged collections that
 * left 900 and 50 MB. Other jobs have seven rows.
 */
final class FakeSpark {
    private static final ObjectMapper JSON = new ObjectMapper();

    private FakeSpark() {}

    /** Makes a directory with a bin/spark-submit that runs {@link #main}. */
    static Path install(Path directory) throws IOException {
        Path submit = Files.createDirectories(directory.resolve("bin")).resolve("spark-submit");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Files.writeString(
                submit,
                "#!/bin/sh\nexec '" + java + "' -cp '" + System.getProperty("java.class.path") + "' "
                        + FakeSpark.class.getName() + " \"$@\"\n");
        if (!submit.toFile().setExecutable(true)) {
            throw new IOException(submit + " cannot be made executable");
        }
        return directory;
    }

    public static void main(String[] arguments) throws IOException {
        if (List.of(arguments).contains("broken=true")) {
            System.out.println("no such class\n\tat Submit.main");
            System.exit(1);
        }
        int port = Integer.parseInt(arguments[arguments.length - 1]);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                BufferedReader jobs =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                PrintStream answers = new PrintStream(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
            answers.println("{\"version\": \"4\"}");
            for (String job = jobs.readLine(); job != null; job = jobs.readLine()) {
                String[] query = JSON.readTree(job).get("query").asText().split(" ");
                switch (query[0]) {
                    case "arguments" -> answers.println(JSON.writeValueAsString(Map.of("values", arguments)));
                    case "fail" ->
                        answers.println(
                                "{\"error\": \"no such table\\n\\tat Save.java\\nCaused by: no node\\n\\t... 4 more\\n\"}");
                    case "end" -> {
                        System.out.println("out of memory");
                        System.exit(1);
                    }
                    case "collect" -> {
                        collect(arguments, List.of(query).subList(1, query.length));
                        answers.println("{\"rows\": 7}");
                    }
                    case "half" -> answers.println("{\"done\": 0.5}\n{\"error\": \"disk full\"}");
                    default -> answers.println("{\"rows\": 7}");
                }
            }
        }
    }

    private static void collect(String[] arguments, List<String> executorAndHeaps) throws IOException {
        String options = List.of(arguments).stream()
                .filter(text -> text.startsWith("spark.executor.extraJavaOptions="))
                .findFirst()
                .orElseThrow();
        String file = options.substring(options.indexOf("file=") + 5).replace("%p", executorAndHeaps.get(0));
        StringBuilder lines = new StringBuilder();
        executorAndHeaps.stream()
                .skip(1)
                .forEach(heap -> lines.append(
                        "[5.2s][info][gc] GC(7) Garbage Collection (Timer) 990M(7%)->" + heap + "M(7%)\n"));
        Files.writeString(Path.of(file), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
