package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.util.Collection;
import java.util.stream.Collectors;

/** The name of a node in messages and figures. */
public final class NodeName {
    private static final String UNRESOLVED = "<unresolved>";
    private static final int MAX_NAMED = 10;

    private NodeName() {}

    /** Address and port, as users write them; the host's name only if it has no address. */
    public static String of(Node node) {
        return of(node.getEndPoint());
    }

    /** Names one node or more, with the word before them: the first ten, and how many others. */
    public static String listed(Collection<Node> nodes) {
        int others = nodes.size() - MAX_NAMED;
        return (nodes.size() == 1 ? "node " : "nodes ")
                + nodes.stream().limit(MAX_NAMED).map(NodeName::of).collect(Collectors.joining(", "))
                + (others <= 0 ? "" : " and " + others + (others == 1 ? " other" : " others"));
    }

    static String of(EndPoint endPoint) {
        String text = String.valueOf(endPoint); // host/address:port, from InetSocketAddress
        String address = text.substring(text.indexOf('/') + 1);
        return address.startsWith(UNRESOLVED) ? text.replace('/' + UNRESOLVED, "") : address;
    }
}
