package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.sstable.handover.FakeNode.Import40;
import io.overdrive.sstable.handover.FakeNode.Import41;
import io.overdrive.sstable.handover.FakeNode.Import50;
import io.overdrive.sstable.handover.FakeNode.ImportUnknown;
import io.overdrive.sstable.handover.JmxAccess.Address;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.security.auth.Subject;
import javax.security.auth.login.FailedLoginException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeBeansTest {
    private static final Path SSTABLES = Path.of("/staging/ks/t");

    private @Nullable FakeNode fake;

    private Address serve(Class<?> version, Map<String, ?> environment) throws Exception {
        fake = new FakeNode(
                version, environment, paths -> paths.contains("/refused") ? List.of("/refused") : List.of());
        return fake.address();
    }

    private FakeNode fake() {
        return Objects.requireNonNull(fake);
    }

    @AfterEach
    void stop() throws IOException {
        if (fake != null) {
            fake.close();
        }
    }

    private static NodeBeans open(Address address) throws IOException {
        return NodeBeans.open(address, new JmxAccess(List.of(address), null, null));
    }

    private void assertImport(Class<?> version, String flags) throws Exception {
        try (NodeBeans node = open(serve(version, Map.of()))) {
            assertThat(node.hostId()).isEqualTo("an-id");
            assertThat(node.dataDirectories()).containsExactly(Path.of("/data/one"), Path.of("/data/two"));
            Collection<?> notTaken = node.importFrom("ks", "t", SSTABLES);
            assertThat(notTaken).isEmpty();
            assertThat(fake().imports).containsExactly("[" + SSTABLES + "] " + flags);
        }
    }

    @Test
    void importsByTheSignatureOf40() throws Exception {
        assertImport(Import40.class, "[true, true, true, true, true, false]");
    }

    @Test
    void importsByTheSignatureOf41() throws Exception {
        assertImport(Import41.class, "[true, true, true, true, true, false, false]");
    }

    @Test
    void importsByTheSignatureOf50() throws Exception {
        assertImport(Import50.class, "[true, true, true, true, true, false, false, false, false]");
    }

    @Test
    void saysThatAVersionIsNotKnown() throws Exception {
        try (NodeBeans node = open(serve(ImportUnknown.class, Map.of()))) {
            assertThatThrownBy(() -> node.importFrom("ks", "t", SSTABLES))
                    .hasMessage("its version has no import that is known here: [2] parameters; Cassandra 4.0 or later"
                            + " is needed");
            assertThat(fake().imports).isEmpty();
        }
    }

    @Test
    void returnsWhatTheNodeRefuses() throws Exception {
        try (NodeBeans node = open(serve(Import41.class, Map.of()))) {
            assertThat(node.hasTable("ks", "t")).isTrue();
            assertThat(node.hasTable("ks", "missing")).isFalse();
            Collection<?> notTaken = node.importFrom("ks", "t", Path.of("/refused"));
            assertThat(notTaken).hasSize(1);
            assertThatThrownBy(() -> node.importFrom("ks", "missing", SSTABLES))
                    .isInstanceOf(IOException.class)
                    .hasMessage("it has no table ks.missing");
        }
    }

    /** An import may take hours. */
    @Test
    void waitsForAnImportAsLongAsTheNodeAnswersOtherCalls() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        try (NodeBeans node = open(serve(Import50.class, Map.of()))) {
            fake().atCall = method -> {
                if (method.equals("getDefaultDomain")) {
                    answers.countDown();
                } else if (method.equals("invoke")) {
                    await(answers);
                }
            };
            Collection<?> notTaken = node.importFrom("ks", "t", SSTABLES);
            assertThat(notTaken).isEmpty();
            assertThat(fake().imports).hasSize(1);
        }
    }

    @Test
    void givesUpANodeThatHangsDuringAnImport() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Address address = serve(Import50.class, Map.of());
        try (NodeBeans node =
                NodeBeans.open(address, new JmxAccess(List.of(address), null, null), Duration.ofSeconds(1))) {
            fake().atCall = method -> {
                if (method.equals("getDefaultDomain") || method.equals("invoke")) {
                    await(end);
                }
            };
            assertThatThrownBy(() -> node.importFrom("ks", "t", SSTABLES))
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "it does not answer over JMX any more (no answer within 1 s), and may have taken some of"
                                    + " them");
        } finally {
            end.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void namesNodesWhoseTokensAreAboutToChange() throws Exception {
        try (NodeBeans node = open(serve(Import41.class, Map.of()))) {
            assertThat(node.pendingNodes()).isNull();
            fake().moving.add("10.0.0.4:7000");
            assertThat(node.pendingNodes()).isEqualTo("node 10.0.0.4:7000 is moving");
            fake().leaving.add("10.0.0.3:7000");
            assertThat(node.pendingNodes()).isEqualTo("node 10.0.0.3:7000 is leaving");
            fake().joining.add("10.0.0.2:7000");
            assertThat(node.pendingNodes()).isEqualTo("node 10.0.0.2:7000 is joining");
        }
    }

    @Test
    void logsInWithAPassword() throws Exception {
        JMXAuthenticator authenticator = credentials -> {
            if (credentials instanceof String[] given && given[0].equals("admin") && given[1].equals("secret")) {
                return new Subject();
            }
            throw new RuntimeException( // as Cassandra does
                    new SecurityException("Authentication failed", new FailedLoginException("wrong")));
        };
        Address address = serve(Import41.class, Map.of(JMXConnectorServer.AUTHENTICATOR, authenticator));
        try (NodeBeans node = NodeBeans.open(address, new JmxAccess(List.of(address), "admin", "secret"))) {
            assertThat(node.hostId()).isEqualTo("an-id");
        }
        String refused =
                "the user is not let in: Authentication failed; give the user and the password that JMX asks for";
        assertThatThrownBy(() -> NodeBeans.open(address, new JmxAccess(List.of(address), "admin", "wrong")))
                .isInstanceOf(IOException.class)
                .hasMessage(refused);
        assertThatThrownBy(() -> open(address)).isInstanceOf(IOException.class).hasMessage(refused);
    }

    @Test
    void givesTheCommandOfNodetool() {
        Address standard = new Address("127.0.0.1", 7199);
        Address other = new Address("::1", 7200);
        JmxAccess open = new JmxAccess(List.of(standard, other), null, null);
        assertThat(open.nodetool(standard)).isEqualTo("nodetool");
        assertThat(open.nodetool(other)).isEqualTo("nodetool -h ::1 -p 7200");
        assertThat(open.nodetool(null)).isEqualTo("nodetool -p JMX_PORT");
        assertThat(new JmxAccess(List.of(standard), "a user", "secret").nodetool(standard))
                .isEqualTo("nodetool -u 'a user'");
        assertThat(new JmxAccess(List.of(standard), "admin", "secret").nodetool(standard))
                .isEqualTo("nodetool -u admin");
    }

    /** Some runtimes made by jlink are like this: the JDK would only say that a class name is missing in a property. */
    @Test
    void namesTheModuleThatAJavaLacks() {
        JmxAccess.requireModules();
        assertThatThrownBy(() -> JmxAccess.requireModules(Set.of("java.base", "java.management.rmi")))
                .hasMessageMatching(
                        "this Java, .+, has no module jdk\\.naming\\.rmi, which JMX needs: use one with all modules,"
                                + " such as the one of a package openjdk-17-jre-headless, or ssh or sidecar instead of"
                                + " JMX");
    }
}
