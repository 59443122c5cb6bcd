package io.overdrive.stores;

import java.io.IOException;
import java.net.http.HttpRequest;

/** How requests to a store are signed. Thread-safe. */
interface Credentials {
    /** The request with what shows who makes it. */
    HttpRequest sign(HttpRequest request) throws IOException;

    /** The store has refused a signed request: whether the next one is signed with newer ones. */
    boolean renew(HttpRequest refused);

    /** A sentence for a refusal. */
    String advice();

    /** Requests that are not signed, as public objects allow. */
    static Credentials none(String advice) {
        return new Credentials() {
            @Override
            public HttpRequest sign(HttpRequest request) {
                return request;
            }

            @Override
            public boolean renew(HttpRequest refused) {
                return false;
            }

            @Override
            public String advice() {
                return "no credentials were found, so the request was not signed: " + advice;
            }
        };
    }
}
