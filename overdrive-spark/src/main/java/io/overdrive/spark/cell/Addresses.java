package io.overdrive.spark.cell;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Addresses as text. An IPv4 address has 4 bytes, or 16 from some drivers, which are two values to Cassandra: only one of them has
 * the usual text, and the JDK gives it to both. Plans (on the driver) and executes (on the executors). Stateless.
 */
final class Addresses {
    private static final int IPV6_BYTES = 16;

    private Addresses() {}

    static String text(byte[] address) throws UnknownHostException {
        return address.length == IPV6_BYTES
                ? Inet6Address.getByAddress(null, address, /* scope */ -1).getHostAddress()
                : InetAddress.getByAddress(address).getHostAddress();
    }

    /** Of an address with any notation; text from {@link #text} becomes the same bytes. */
    static byte[] bytes(String text) throws UnknownHostException {
        byte[] address = InetAddress.getByName(text).getAddress();
        if (address.length == IPV6_BYTES || text.indexOf(':') < 0) {
            return address;
        }
        byte[] longer = new byte[IPV6_BYTES];
        longer[10] = -1;
        longer[11] = -1;
        System.arraycopy(address, 0, longer, IPV6_BYTES - address.length, address.length);
        return text(longer).equals(text) ? longer : address;
    }
}
