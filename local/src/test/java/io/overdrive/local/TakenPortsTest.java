package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TakenPortsTest {
    /** A separate process: prints whether it takes a port. */
    public static void main(String[] arguments) {
        System.out.print(TakenPorts.take(Integer.parseInt(arguments[0]), 1));
    }

    @Test
    void noPortIsGivenTwiceAlthoughNothingListensThere() throws Exception {
        LocalOptions options =
                LocalOptions.builder().port(0).nodesPerDatacenter(3).build();
        List<NodePlacement> first = NodePlacement.layOut(options, true, new Random(4));
        List<NodePlacement> second = NodePlacement.layOut(options, true, new Random(4));
        assertThat(second).noneMatch(first::contains);
        assertThat(second.get(0).jmxPort()).isNotEqualTo(first.get(0).jmxPort());
        assertThat(taken(first.get(2).jmxPort())).as("by another process").isEqualTo("false");
        assertThat(taken(1)).isEqualTo("true");
    }

    private static String taken(int port) throws IOException, InterruptedException {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TakenPortsTest.class.getName(),
                        Integer.toString(port))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(other.waitFor()).isZero();
        return said;
    }
}
