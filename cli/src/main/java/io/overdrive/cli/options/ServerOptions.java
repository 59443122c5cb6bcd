package io.overdrive.cli.options;

import static io.overdrive.internal.connect.ConnectSetting.PASSWORD;
import static io.overdrive.internal.connect.ConnectSetting.PASSWORD_COMMAND;
import static io.overdrive.internal.connect.ConnectSetting.PASSWORD_FILE;
import static io.overdrive.internal.connect.ConnectSetting.TLS_PASSWORD_COMMAND;
import static io.overdrive.internal.connect.ConnectSetting.TLS_PASSWORD_FILE;
import static io.overdrive.internal.connect.ConnectSetting.USERNAME;

import io.overdrive.Setting;
import io.overdrive.cli.config.Server;
import io.overdrive.internal.connect.ConnectValues;
import io.overdrive.internal.connect.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** A group of options that are settings of one connection, whose names begin with a prefix of it. Confined to one thread. */
public final class ServerOptions implements ConnectValues {
    private final SettingOptions options;
    /** The password of the key and of all stores that have no other; null until it is needed. */
    private @Nullable String tlsPassword;

    /**
     * @param heading empty to continue the group before
     * @param order {@link SettingOptions#IN_PLACE} or {@link SettingOptions#LAST}
     * @param server that they connect to, which gives them their names
     * @param purpose of the options, for the help; empty if that is clear
     * @param others options of the same group that are not settings; they come first
     */
    public ServerOptions(
            String heading, int order, Server server, String purpose, List<Setting<?>> settings, OptionSpec... others) {
        options = new SettingOptions(heading, order, purpose, settings, server::option, others);
    }

    /** The options, which the command adds to its model. */
    public SettingOptions group() {
        return options;
    }

    /** The name of the first that was given; null if there is none. Secrets may be in the environment for other commands. */
    public @Nullable String firstGiven() {
        return options.settings().stream()
                .filter(setting -> setting.kind() != Setting.Kind.SECRET && isGiven(setting))
                .map(options::name)
                .findFirst()
                .orElse(null);
    }

    @Override
    public boolean isGiven(Setting<?> setting) {
        return options.find(setting) != null;
    }

    @Override
    public <T extends Comparable<? super T>> @Nullable T find(Setting<T> setting) {
        T value = options.find(setting);
        return value == null ? null : setting.check(value, name(setting));
    }

    @Override
    public @Nullable Path file(Setting<Path> setting) {
        Path file = options.find(setting);
        return file == null ? null : OptionValues.readable(name(setting), file);
    }

    /** A password of a user may come from the terminal. */
    @Override
    public @Nullable String secret(Setting<String> setting) {
        String own = options.find(setting);
        if (setting == PASSWORD) {
            return ofUser(own);
        }
        return own != null ? own : tlsPassword();
    }

    private @Nullable String ofUser(@Nullable String own) {
        checkUser();
        String user = options.find(USERNAME);
        return user == null
                ? null
                : Passwords.ofUser(
                        user, options.name(PASSWORD), own, options.find(PASSWORD_FILE), options.find(PASSWORD_COMMAND));
    }

    /** Refuses a password without a user. */
    void checkUser() {
        for (Setting<?> setting : List.of(PASSWORD_FILE, PASSWORD_COMMAND)) {
            if (isGiven(setting) && !isGiven(USERNAME)) {
                throw new IllegalArgumentException(name(setting) + " needs " + name(USERNAME));
            }
        }
    }

    private @Nullable String tlsPassword() {
        if (tlsPassword == null) {
            tlsPassword = Passwords.find(
                    options.name(TLS_PASSWORD_FILE).replace("-file", ""),
                    /* secret */ null,
                    options.find(TLS_PASSWORD_FILE),
                    options.find(TLS_PASSWORD_COMMAND));
        }
        return tlsPassword;
    }

    /** The keys of an earlier call of the same program, if they would be the same: only these have a connection that is kept. */
    @Override
    public SSLContext tls() {
        Caller caller = Caller.current();
        return caller == null ? TlsFiles.context(this) : caller.tls(TlsFiles.parts(this), () -> TlsFiles.context(this));
    }

    /** The name of the option, or for a secret, of its environment variable. */
    @Override
    public String name(Setting<?> setting) {
        return options.shown(setting);
    }
}
