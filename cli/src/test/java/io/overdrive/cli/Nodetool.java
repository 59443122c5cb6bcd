package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The nodetool of a node that a test has started, and calls of its beans. */
final class Nodetool {
    interface JmxCall<T> {
        T call(MBeanServerConnection server) throws IOException, JMException;
    }

    private Nodetool() {}

    /** Writes a script that is nodetool of the node's version, which starts as fast as the node. */
    static Path script(Path file, String jmx) throws IOException, JMException {
        return script(file, jmx, Map.of(), "");
    }

    /** The same for JMX with a password, which the script gives instead of asking for it. */
    static Path script(Path file, String jmx, String user, String password) throws IOException, JMException {
        return script(file, jmx, Map.of(JMXConnector.CREDENTIALS, new String[] {user, password}), " -pw " + password);
    }

    private static Path script(Path file, String jmx, Map<String, ?> environment, String options)
            throws IOException, JMException {
        List<String> words = jmx(jmx, environment, server -> {
            RuntimeMXBean node = ManagementFactory.newPlatformMXBeanProxy(
                    server, ManagementFactory.RUNTIME_MXBEAN_NAME, RuntimeMXBean.class);
            return List.of(
                    java(node) + "/bin/java",
                    node.getInputArguments().stream()
                            .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-X"))
                            .collect(Collectors.joining(" ")),
                    "-cp",
                    "'" + node.getClassPath() + "'",
                    "org.apache.cassandra.tools.NodeTool");
        });
        Files.writeString(file, "#!/bin/sh\nexec " + String.join(" ", words) + options + " \"$@\"\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    /**
     * The Java for nodetool. The Java of a node of Cassandra 4 may be a runtime without JMX's client; its nodetool also
     * runs on ours.
     */
    private static String java(RuntimeMXBean node) {
        boolean isOld = node.getSpecVersion().equals("11");
        return isOld
                ? System.getProperty("java.home")
                : String.valueOf(node.getSystemProperties().get("java.home"));
    }

    static <T> T jmx(String address, JmxCall<T> call) throws IOException, JMException {
        return jmx(address, Map.of(), call);
    }

    @SuppressWarnings("BanJNDI") // of a node that the test has started
    private static <T> T jmx(String address, Map<String, ?> environment, JmxCall<T> call)
            throws IOException, JMException {
        try (JMXConnector connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi"), environment)) {
            return call.call(connector.getMBeanServerConnection());
        }
    }
}
