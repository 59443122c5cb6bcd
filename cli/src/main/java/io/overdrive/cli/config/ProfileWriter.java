package io.overdrive.cli.config;

import io.overdrive.jobs.StateDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/**
 * Sets options in a profile of a configuration file. Lines that need no change stay as they are, comments included, and the result is
 * parsed and compared before it replaces the file. Immutable.
 */
public final class ProfileWriter {
    /** A key with a value on one line, and what follows the value. */
    private static final Pattern LINE =
            Pattern.compile("(\\s*[^=]+=\\s*)(\"[^\"]*\"|'[^']*'|[^\\s#\"'\\[{]+)(\\s*(#.*)?)");

    private final Path file;
    private final String profile;

    /**
     * @param file need not exist
     * @throws IllegalArgumentException if a profile cannot have this name, or the file could not be written
     */
    public ProfileWriter(Path file, String profile) {
        if (!Configuration.isProfileName(profile)) {
            throw new IllegalArgumentException(
                    "\"" + profile + "\" cannot be the name of a profile: use letters, digits, _ and -");
        }
        this.file = file.toAbsolutePath();
        this.profile = profile;
        Path existing = this.file;
        while (existing.getParent() != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (!Files.isWritable(existing)) {
            throw new IllegalArgumentException(existing + " cannot be written by this user");
        }
    }

    /**
     * Sets options, and removes others from the profile; creates the profile and the file if need be.
     *
     * @param options values by the names of options without dashes; empty to remove the option
     * @return the lines that the profile got, and those that it lost
     * @throws IllegalArgumentException if the file cannot be changed; it is then as before, and the message has the lines to write by hand
     */
    public List<String> set(Map<String, Optional<String>> options) {
        try {
            Path target = Files.exists(file) ? file.toRealPath() : file; // a link stays a link
            String before = Files.exists(target) ? Files.readString(target) : "";
            List<String> changes = new ArrayList<>();
            String after = changed(before, options, changes);
            if (!after.equals(before)) {
                requireSame(expected(before, options), plain(Toml.parse(after)));
                replace(target, after);
            }
            return changes;
        } catch (IOException | IllegalStateException e) {
            throw new IllegalArgumentException(
                    file + " cannot be changed (" + e.getMessage() + "); write by hand: ["
                            + ConfigFile.profileSection(profile) + "] " + byHand(options),
                    e);
        }
    }

    private String changed(String text, Map<String, Optional<String>> options, List<String> changes) {
        TomlTable section = section(Toml.parse(text));
        List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
        List<String> added = new ArrayList<>();
        Map<Integer, Optional<String>> byLine = new TreeMap<>((a, b) -> b - a); // the last line first
        new TreeMap<>(options).forEach((key, value) -> {
            if (section != null && section.contains(List.of(key))) {
                byLine.put(section.inputPositionOf(List.of(key)).line() - 1, value);
            } else {
                value.ifPresent(now -> added.add(line(key, now)));
            }
        });
        byLine.forEach((line, value) -> change(lines, line, value, changes));
        added.forEach(line -> changes.add("+ " + line));
        if (added.isEmpty()) {
            return String.join("\n", lines);
        }
        if (section == null) {
            String start = text.isEmpty() ? "" : text.endsWith("\n") ? text + "\n" : text + "\n\n";
            return start + "[" + ConfigFile.profileSection(profile) + "]\n" + String.join("\n", added) + "\n";
        }
        lines.addAll(header(text), added);
        return String.join("\n", lines);
    }

    /** The number of lines up to the header of the profile, inclusive. */
    private int header(String text) {
        TomlTable profiles = Toml.parse(text).getTable(List.of(ConfigFile.PROFILES));
        if (profiles == null) {
            throw new IllegalStateException("it has no section of the profile");
        }
        return profiles.inputPositionOf(List.of(profile)).line();
    }

    private static void change(List<String> lines, int line, Optional<String> value, List<String> changes) {
        String old = lines.get(line);
        Matcher parts = LINE.matcher(old);
        if (!parts.matches()) {
            throw new IllegalStateException("line " + (line + 1) + " is not a key with a value on one line");
        }
        if (value.isEmpty()) {
            lines.remove(line);
            changes.add("- " + old.strip());
            return;
        }
        String now = parts.group(1) + quoted(value.get()) + parts.group(3);
        if (!now.equals(old)) {
            lines.set(line, now);
            changes.add("- " + old.strip());
            changes.add("+ " + now.strip());
        }
    }

    private @Nullable TomlTable section(TomlParseResult file) {
        if (file.hasErrors()) {
            throw new IllegalStateException("it is not TOML");
        }
        TomlTable profiles = file.getTable(List.of(ConfigFile.PROFILES));
        return profiles == null ? null : profiles.getTable(List.of(profile));
    }

    private static String line(String key, String value) {
        return key + " = " + quoted(value);
    }

    private static String quoted(String value) {
        return value.chars().allMatch(Character::isDigit) ? value : '"' + value + '"';
    }

    private static String byHand(Map<String, Optional<String>> options) {
        List<String> lines = new ArrayList<>();
        new TreeMap<>(options).forEach((key, value) -> value.ifPresent(text -> lines.add(line(key, text))));
        return String.join("; ", lines);
    }

    /** All of the file as maps, with the change. */
    private Map<String, Object> expected(String before, Map<String, Optional<String>> options) {
        Map<String, Object> all = plain(Toml.parse(before));
        Map<String, Object> profiles = below(all, ConfigFile.PROFILES);
        Map<String, Object> section = below(profiles, profile);
        options.forEach((key, value) -> {
            if (value.isPresent()) {
                String text = value.get();
                section.put(key, quoted(text).equals(text) ? (Object) Long.valueOf(text) : text);
            } else {
                section.remove(key);
            }
        });
        return all;
    }

    @SuppressWarnings("unchecked") // plain() made it
    private static Map<String, Object> below(Map<String, Object> map, String key) {
        return (Map<String, Object>) map.computeIfAbsent(key, name -> new HashMap<String, Object>());
    }

    private static Map<String, Object> plain(TomlTable table) {
        Map<String, Object> map = new HashMap<>();
        for (String key : table.keySet()) {
            map.put(key, plain(table.get(List.of(key))));
        }
        return map;
    }

    private static Object plain(@Nullable Object value) {
        if (value instanceof TomlTable table) {
            return plain(table);
        }
        return value instanceof TomlArray array
                ? array.toList().stream().map(ProfileWriter::plain).toList()
                : value == null ? "" : value;
    }

    private static void requireSame(Map<String, Object> expected, Map<String, Object> found) {
        if (!expected.equals(found)) {
            throw new IllegalStateException("each option of the profile must have its line");
        }
    }

    /** Replaces the file in one step; its permissions stay, and a new file is its owner's. */
    private static void replace(Path target, String text) throws IOException {
        Set<PosixFilePermission> permissions =
                Files.exists(target) && supportsPermissions(target) ? Files.getPosixFilePermissions(target) : null;
        StateDirectory.replace(target, text.getBytes(StandardCharsets.UTF_8));
        if (permissions != null) {
            Files.setPosixFilePermissions(target, permissions);
        }
    }

    private static boolean supportsPermissions(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("posix");
    }
}
