package io.overdrive.internal.wire;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;

/** Looks into stores of trusted certificates. Stateless. */
public final class TrustStores {
    private TrustStores() {}

    /**
     * Whether there is anything to trust: in a PKCS#12 store that was opened without its password, certificates cannot be seen, and keys
     * have none.
     */
    public static boolean holdsCertificates(KeyStore store) throws KeyStoreException {
        for (String alias : Collections.list(store.aliases())) {
            if (store.getCertificate(alias) != null) {
                return true;
            }
        }
        return false;
    }
}
