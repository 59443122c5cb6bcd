package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;

/** Makes nodes that have nothing but a name and an address; two are different, even if they have the same name. */
final class NamedNode {
    private NamedNode() {}

    static Node of(String name) {
        EndPoint endPoint = new DefaultEndPoint(InetSocketAddress.createUnresolved(name, 9042));
        return (Node) Proxy.newProxyInstance(
                Node.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (self, method, args) -> switch (method.getName()) {
                    case "equals" -> self == args[0];
                    case "hashCode" -> name.hashCode();
                    case "getEndPoint" -> endPoint;
                    default -> name;
                });
    }
}
