package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Node;

/** The name of a node in messages and figures. */
public final class NodeName {
    private static final String UNRESOLVED = "<unresolved>";

    private NodeName() {}

    /** Address and port, as users write them; the host's name only if it has no address. */
    public static String of(Node node) {
        return of(node.getEndPoint());
    }

    static String of(EndPoint endPoint) {
        String text = String.valueOf(endPoint); // host/address:port, from InetSocketAddress
        String address = text.substring(text.indexOf('/') + 1);
        return address.startsWith(UNRESOLVED) ? text.replace('/' + UNRESOLVED, "") : address;
    }
}
