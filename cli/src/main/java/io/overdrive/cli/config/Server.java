package io.overdrive.cli.config;

import static io.overdrive.internal.connect.ConnectSetting.DATACENTER;
import static io.overdrive.internal.connect.ConnectSetting.FAILOVER_DATACENTER;
import static io.overdrive.internal.connect.ConnectSetting.USERNAME;

import io.overdrive.Setting;
import java.util.Map;

/** A kind of server that commands connect to; the options of each begin with a prefix. */
public enum Server {
    CLUSTER(""),
    SECOND_CLUSTER("to-"),
    JMX("jmx-"),
    SIDECAR("sidecar-");

    /** Names that do not follow from those in Java. */
    private static final Map<Setting<?>, String> OTHER_NAMES =
            Map.of(DATACENTER, "dc", FAILOVER_DATACENTER, "dc-failover", USERNAME, "user");

    private final String prefix;

    Server(String prefix) {
        this.prefix = prefix;
    }

    /** The name of the option that is a setting of the connection: {@code --to-tls-ca}. */
    public String option(Setting<?> setting) {
        String name = OTHER_NAMES.get(setting);
        return option(name != null ? name : OptionModel.kebab(setting.name()));
    }

    /** An option by its name without the prefix. */
    String option(String name) {
        return "--" + prefix + name;
    }
}
