package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.Node;

/** What a node is called in messages and figures. */
public final class NodeName {
    private NodeName() {}

    /** Address and port, as users write them. */
    public static String of(Node node) {
        String name = String.valueOf(node.getEndPoint());
        return name.startsWith("/") ? name.substring(1) : name;
    }
}
