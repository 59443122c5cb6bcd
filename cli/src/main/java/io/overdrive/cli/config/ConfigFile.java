package io.overdrive.cli.config;

import io.overdrive.internal.names.DidYouMean;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The configuration file, checked as a whole against the options of all commands. Immutable. */
final class ConfigFile {
    static final String DEFAULT = "default";
    static final String PROFILES = "profiles";

    /**
     * A value in the file.
     *
     * @param texts as on the command line; one for options that are not given several times
     * @param line in the file, from 1
     */
    record Value(List<String> texts, int line) {}

    private final Path path;
    /** Values by section, then by key; {@code profiles.prod} and {@code bench.stress} are sections. */
    private final Map<String, Map<String, Value>> sections;

    private ConfigFile(Path path, Map<String, Map<String, Value>> sections) {
        this.path = path;
        this.sections = sections;
    }

    /**
     * Reads and checks it.
     *
     * @param home the directory that {@code ~} stands for
     * @throws IllegalArgumentException if it cannot be read, or anything in it is wrong
     */
    static ConfigFile read(Path path, CommandSpec root, Path home) {
        try {
            Reader reader = new Reader(path, root, home);
            reader.file(Toml.parse(Files.readString(path)));
            return new ConfigFile(path, reader.sections);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(path + " is not valid UTF-8: convert it to UTF-8", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(path + " cannot be read: " + e, e);
        }
    }

    Path path() {
        return path;
    }

    /** The value of a key in a section; null if there is none. */
    @Nullable Value find(String section, String key) {
        Map<String, Value> values = sections.get(section);
        return values == null ? null : values.get(key);
    }

    static String profileSection(String profile) {
        return PROFILES + "." + profile;
    }

    /** @throws IllegalArgumentException if there is no such profile */
    void requireProfile(String profile) {
        if (!sections.containsKey(profileSection(profile))) {
            Set<String> known = profiles();
            throw new IllegalArgumentException(path + " has no profile \"" + profile + "\""
                    + DidYouMean.suggestion(profile, known)
                    + (known.isEmpty()
                            ? ": add a section [" + profileSection(profile) + "]"
                            : " (profiles: " + String.join(", ", known) + ")"));
        }
    }

    Set<String> profiles() {
        Set<String> names = new TreeSet<>();
        for (String section : sections.keySet()) {
            if (section.startsWith(PROFILES + ".")) {
                names.add(section.substring(PROFILES.length() + 1));
            }
        }
        return names;
    }

    /** Confined to one thread. */
    private static final class Reader {
        private final Path path;
        private final Map<String, CommandSpec> commands;
        private final Map<String, OptionSpec> options;
        private final CommandSpec root;
        private final Path home;
        private final Map<String, Map<String, Value>> sections = new HashMap<>();
        private @Nullable String firstSecret;

        Reader(Path path, CommandSpec root, Path home) {
            this.path = path;
            this.root = root;
            this.home = home;
            this.commands = OptionModel.commands(root);
            this.options = OptionModel.options(root);
        }

        private IllegalArgumentException wrong(int line, String message) {
            return new IllegalArgumentException(path + ":" + line + ": " + message);
        }

        private static int line(TomlTable table, String key) {
            return Objects.requireNonNull(table.inputPositionOf(List.of(key))).line();
        }

        void file(TomlParseResult file) throws IOException {
            if (file.hasErrors()) {
                TomlParseError first = file.errors().get(0);
                throw wrong(first.position().line(), "not TOML: " + withoutText(first));
            }
            for (String name : file.keySet()) {
                int line = line(file, name);
                if (!(file.get(List.of(name)) instanceof TomlTable table)) {
                    throw wrong(
                            line,
                            "\"" + name + "\" is in no section: write it below [" + DEFAULT + "], which is for all"
                                    + " commands");
                }
                if (name.equals(DEFAULT)) {
                    section(DEFAULT, table, options);
                } else if (name.equals(PROFILES)) {
                    profiles(table);
                } else if (commands.containsKey(name)) {
                    command(name, table);
                } else {
                    List<String> known = new ArrayList<>(commands.keySet());
                    known.addAll(List.of(DEFAULT, PROFILES));
                    throw wrong(
                            line,
                            "there is no section [" + name + "]" + DidYouMean.suggestion(name, known)
                                    + " (sections are [" + DEFAULT + "], [" + PROFILES
                                    + ".NAME], and the names of commands)");
                }
            }
            if (firstSecret != null) {
                Secrets.checkIsPrivate(path, firstSecret);
            }
        }

        /** The message of an error, without what stands in the file, as that may be a secret. */
        private static String withoutText(TomlParseError error) {
            String message = String.valueOf(error.getMessage());
            int expected = message.indexOf(", expected ");
            int quote = message.indexOf('\'');
            String what = expected >= 0
                    ? message.substring(expected + 2)
                    : quote >= 0 ? message.substring(0, quote).strip() : message;
            return "column " + error.position().column() + ": " + what;
        }

        private void profiles(TomlTable table) {
            for (String name : table.keySet()) {
                int line = line(table, name);
                if (!(table.get(List.of(name)) instanceof TomlTable profile)) {
                    throw wrong(line, "\"" + name + "\" is in no profile: write it below [" + PROFILES + ".NAME]");
                }
                if (!Configuration.isProfileName(name)) {
                    throw wrong(line, "\"" + name + "\" cannot be the name of a profile: use letters, digits, _ and -");
                }
                section(profileSection(name), profile, options);
            }
        }

        private void command(String name, TomlTable table) {
            CommandSpec command = Objects.requireNonNull(commands.get(name));
            section(name, table, OptionModel.configurable(command));
            for (String key : table.keySet()) {
                if (table.get(List.of(key)) instanceof TomlTable below && commands.containsKey(name + "." + key)) {
                    command(name + "." + key, below);
                }
            }
        }

        private void section(String section, TomlTable table, Map<String, OptionSpec> known) {
            Map<String, Value> values = new HashMap<>();
            for (String key : table.keySet()) {
                int line = line(table, key);
                OptionSpec option = known.get(key);
                Object value = Objects.requireNonNull(table.get(List.of(key)));
                if (option != null) {
                    values.put(key, new Value(texts(line, option, value), line));
                    if (Secrets.is(option) && firstSecret == null) {
                        firstSecret = path + ":" + line + ": " + key;
                    }
                } else if (!(value instanceof TomlTable) || !commands.containsKey(section + "." + key)) {
                    throw wrong(line, unknown(section, key, known));
                }
            }
            sections.put(section, values);
        }

        private String unknown(String section, String key, Map<String, OptionSpec> known) {
            if (key.startsWith("-")) {
                return "\"" + key + "\": write options without dashes: " + key.replaceFirst("^-+", "");
            }
            String start = "[" + section + "] has no option \"" + key + "\"";
            List<String> others = OptionModel.commandsWith(root, "--" + key);
            if (!others.isEmpty()) {
                return options.containsKey(key)
                        ? start + ": it is an option of " + String.join(", ", others)
                        : start + ": it can be on the command line only";
            }
            return start + DidYouMean.suggestion(key, known.keySet()) + " (see: "
                    + (commands.containsKey(section)
                            ? "overdrive " + section.replace('.', ' ') + " --help"
                            : "overdrive COMMAND --help")
                    + ")";
        }

        private List<String> texts(int line, OptionSpec option, Object value) {
            String key = OptionModel.key(option);
            if (OptionModel.isFlag(option)) {
                if (!(value instanceof Boolean)) {
                    throw wrong(line, key + " is " + shown(option, value) + ", must be true or false");
                }
                return List.of(value.toString());
            }
            if (!(value instanceof TomlArray array)) {
                return List.of(text(line, option, value));
            }
            if (!option.isMultiValue()) {
                throw wrong(line, key + " is a list, must be one value");
            }
            List<String> texts = new ArrayList<>();
            for (Object each : array.toList()) {
                texts.add(text(line, option, each));
            }
            String separator = option.splitRegex();
            if (separator.isEmpty()) {
                return texts;
            }
            for (String each : texts) {
                if (each.contains(separator)) {
                    throw wrong(line, key + " has \"" + each + "\", which contains the separator " + separator);
                }
            }
            boolean wouldBeDropped =
                    texts.size() > 1 && texts.get(texts.size() - 1).isEmpty();
            return wouldBeDropped ? texts : List.of(String.join(separator, texts));
        }

        private String text(int line, OptionSpec option, Object value) {
            if (value instanceof Long || value instanceof Double) {
                return value.toString();
            }
            if (!(value instanceof String text)) {
                throw wrong(
                        line,
                        OptionModel.key(option) + " is " + shown(option, value)
                                + ", must be a number, or a text in quotes");
            }
            // On the command line, the shell does this.
            return option.type() == Path.class && text.startsWith("~/") ? home + text.substring(1) : text;
        }

        private static String shown(OptionSpec option, Object value) {
            if (Secrets.is(option)) {
                return Secrets.MASK;
            }
            return value instanceof TomlTable ? "a table" : value instanceof TomlArray ? "a list" : "\"" + value + "\"";
        }
    }
}
