package io.overdrive.spark.cell;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * Addresses as text. An IPv4 address has 4 bytes, or 16 from some drivers, which are two values to Cassandra: only one of them has
 * the usual text, and the JDK gives it to both. Plans (on the driver) and executes (on the executors). Stateless.
 */
public final class Addresses {
    private static final int IPV6_BYTES = 16;

    /** Excludes everything that Java would resolve as a host name, and IPv4 addresses of fewer than four numbers. */
    private static final Pattern ADDRESS =
            Pattern.compile("((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(?!$)|$)){4}|(?=.*:)[\\p{XDigit}:][\\p{XDigit}:.]*");

    private Addresses() {}

    static String text(byte[] address) throws UnknownHostException {
        return address.length == IPV6_BYTES
                ? Inet6Address.getByAddress(null, address, /* scope */ -1).getHostAddress()
                : InetAddress.getByAddress(address).getHostAddress();
    }

    /**
     * The address with any notation. Names are not resolved.
     *
     * @throws IllegalArgumentException if the text is not an address
     */
    public static InetAddress of(String text) {
        try {
            if (ADDRESS.matcher(text).matches()) {
                return InetAddress.getByName(text);
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("must be an IPv4 or IPv6 address", e);
        }
        throw new IllegalArgumentException("must be an IPv4 or IPv6 address");
    }

    /**
     * Encodes an address with any notation; text from {@link #text} becomes the same bytes.
     *
     * @throws IllegalArgumentException if the text is not an address
     */
    static byte[] bytes(String text) throws UnknownHostException {
        byte[] address = of(text).getAddress();
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
