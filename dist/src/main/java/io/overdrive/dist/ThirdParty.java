package io.overdrive.dist;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * The software of others in a release: its names and licences from the SBOM, and the texts that must go with it, from the jars, or
 * from a directory if a jar has none. Immutable.
 *
 * @param licence our own
 * @param jars all jars of the release
 * @param texts directory of further texts, named after the artifact ({@code xz.txt})
 */
record ThirdParty(Path sbom, Path licence, List<Path> jars, Path texts) {
    private static final Pattern TEXT =
            Pattern.compile("(?i)(META-INF/)?([\\w-]*LICEN[SC]E[\\w-]*|NOTICE\\w*|COPYING)(\\.txt|\\.md)?");
    /** The licence itself is in each release, and public domain needs no text. */
    private static final Pattern NEEDS_NO_TEXT = Pattern.compile("(?i).*apache.*2.*|cc0.*|.*public domain.*");

    private static final String OURS = "io.overdrive";
    private static final String RULE = "-".repeat(100) + "\n";

    private record Component(String artifact, String version, List<String> licences) {
        String jar() {
            return artifact + "-" + version + ".jar";
        }

        @Override
        public String toString() {
            return artifact + " " + version;
        }
    }

    /** @throws IllegalStateException if a text is missing */
    String text() throws IOException {
        StringBuilder names =
                new StringBuilder("Overdrive contains software of others. Where the Apache License applies, its text is"
                        + " in the file LICENSE.\n\n");
        String ours = words(Files.readString(licence));
        Map<String, String> first = new LinkedHashMap<>();
        Map<String, List<String>> componentsOfText = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        for (Component component : components()) {
            List<String> found = textsOf(component);
            if (found.isEmpty()
                    && component.licences().stream()
                            .noneMatch(licence -> NEEDS_NO_TEXT.matcher(licence).matches())) {
                missing.add(component.artifact() + " (" + String.join(", ", component.licences()) + ")");
            }
            for (String text : found) {
                String words = words(text);
                if (!words.equals(ours)) {
                    first.putIfAbsent(words, text.strip());
                    componentsOfText
                            .computeIfAbsent(words, any -> new ArrayList<>())
                            .add(component.toString());
                }
            }
            if (!component.licences().isEmpty()) {
                names.append(component)
                        .append(": ")
                        .append(String.join(" or ", component.licences()))
                        .append('\n');
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("no licence text in the jars of " + String.join(", ", missing)
                    + ": add it to " + texts + ", in a file named after the artifact, such as xz.txt");
        }
        first.forEach((words, text) -> names.append('\n')
                .append(RULE)
                .append(String.join(", ", componentsOfText.getOrDefault(words, List.of())))
                .append("\n\n")
                .append(text)
                .append('\n'));
        return names.toString();
    }

    /** The same for texts that differ in white space only. */
    private static String words(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    /**
     * Components of the SBOM whose jars are in the release, in the order of their names, and our own modules if they
     * contain others.
     */
    private List<Component> components() throws IOException {
        Map<String, Component> components = new TreeMap<>();
        for (JsonNode each : new ObjectMapper().readTree(sbom.toFile()).get("components")) {
            List<String> licences = new ArrayList<>();
            for (JsonNode choice : each.path("licenses")) {
                JsonNode licence = choice.path("license");
                licences.add(licence.path("id")
                        .asText(licence.path("name")
                                .asText(choice.path("expression").asText())));
            }
            boolean isOurs = each.path("group").asText().equals(OURS);
            Component component = new Component(
                    each.get("name").asText(), each.get("version").asText(), isOurs ? List.of() : licences);
            if (!isOurs || Files.exists(texts.resolve(component.artifact() + ".txt"))) {
                components.put(component.jar(), component);
            }
        }
        components.keySet().removeIf(name -> jar(name) == null);
        List<String> unknown = jars.stream()
                .map(jar -> jar.getFileName().toString())
                .filter(name -> !name.startsWith("overdrive-") && !components.containsKey(name))
                .toList();
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("the SBOM " + sbom + " does not list " + String.join(", ", unknown));
        }
        return List.copyOf(components.values());
    }

    private @Nullable Path jar(String name) {
        return jars.stream()
                .filter(jar -> jar.getFileName().toString().equals(name))
                .findFirst()
                .orElse(null);
    }

    private List<String> textsOf(Component component) throws IOException {
        List<String> found = new ArrayList<>();
        Path further = texts.resolve(component.artifact() + ".txt");
        if (Files.exists(further)) {
            found.add(Files.readString(further));
        }
        Path path = jar(component.jar());
        if (path == null || component.licences().isEmpty()) {
            return found;
        }
        try (JarFile jar = new JarFile(path.toFile())) {
            for (ZipEntry entry : jar.stream()
                    .filter(each -> TEXT.matcher(each.getName()).matches())
                    .toList()) {
                byte[] bytes = jar.getInputStream(entry).readAllBytes();
                found.add(new String(bytes, StandardCharsets.UTF_8).replace("\r\n", "\n"));
            }
        }
        return found;
    }
}
