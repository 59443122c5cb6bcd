package io.overdrive.stores;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.stores.Tokens.Token;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where accounts of Azure are, and how requests to them are signed: by a key or a signature of shared access, or by a token of a service
 * principal, a workload identity, the machine or the Azure command line. Immutable.
 *
 * @param account that the credentials are of; null for any
 * @param endpoint of the account, without a slash at its end; null for Azure's
 * @param credentials of an account, by its name
 */
record AzureAccess(@Nullable String account, @Nullable String endpoint, Function<String, Credentials> credentials) {
    private static final String RESOURCE = "https://storage.azure.com/";
    private static final String SCOPE = RESOURCE + ".default";
    private static final Duration MACHINE_TIMEOUT = Duration.ofSeconds(2);

    /** The variables of the Azure command line and of its libraries. */
    static AzureAccess find(Map<String, String> environment) {
        Map<String, String> connection = connection(environment.getOrDefault("AZURE_STORAGE_CONNECTION_STRING", ""));
        String key = connection.getOrDefault("AccountKey", environment.get("AZURE_STORAGE_KEY"));
        String signature = connection.getOrDefault("SharedAccessSignature", environment.get("AZURE_STORAGE_SAS_TOKEN"));
        String account = connection.getOrDefault("AccountName", environment.get("AZURE_STORAGE_ACCOUNT"));
        String endpoint = connection.get("BlobEndpoint");
        requireUsable(environment.getOrDefault("AZURE_STORAGE_CONNECTION_STRING", ""), connection);
        String place = endpoint == null ? null : endpoint.replaceFirst("/+$", "");
        if (key != null && !key.isBlank()) {
            return new AzureAccess(account, place, name -> new AzureKey(name, key.trim()));
        } else if (signature != null && !signature.isBlank()) {
            return new AzureAccess(account, place, name -> sharedAccess(signature.trim()));
        }
        Credentials tokens = tokens(environment);
        return new AzureAccess(null, place, name -> tokens);
    }

    private static Map<String, String> connection(String text) {
        Map<String, String> fields = new HashMap<>();
        for (String each : text.split(";")) {
            int equals = each.indexOf('=');
            if (equals > 0) {
                fields.put(
                        each.substring(0, equals).trim(),
                        each.substring(equals + 1).trim());
            }
        }
        return fields;
    }

    /** Refuses a text that would be left out, or fail later in a message with its secrets. */
    private static void requireUsable(String text, Map<String, String> connection) {
        boolean isUsed = connection.containsKey("AccountKey")
                || connection.containsKey("SharedAccessSignature")
                || connection.containsKey("BlobEndpoint");
        if (!text.isBlank() && !isUsed) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "AZURE_STORAGE_CONNECTION_STRING has neither AccountKey, SharedAccessSignature nor BlobEndpoint");
        }
        String endpoint = connection.getOrDefault("BlobEndpoint", "https://x");
        if (!endpoint.matches("https?://[^?#\\s]+")) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "AZURE_STORAGE_CONNECTION_STRING: BlobEndpoint is no URL such as https://x.blob.core.windows.net");
        }
    }

    static Credentials none() {
        return Credentials.none(
                "set AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run"
                        + " az login");
    }

    /** A signature, which is a part of the query. */
    private static Credentials sharedAccess(String signature) {
        String query = signature.startsWith("?") ? signature.substring(1) : signature;
        try {
            URI.create("https://account?" + query);
        } catch (IllegalArgumentException e) {
            // its message has the signature
            throw new OverdriveException(
                    Kind.INPUT,
                    "the shared access signature, of AZURE_STORAGE_SAS_TOKEN or of AZURE_STORAGE_CONNECTION_STRING, has"
                            + " characters that a URL cannot have: a space, for example, is %20 there");
        }
        return new Credentials() {
            @Override
            public HttpRequest sign(HttpRequest request) {
                String url = request.uri().toString();
                return HttpRequest.newBuilder(request, (name, value) -> true)
                        .uri(URI.create(url + (url.indexOf('?') < 0 ? "?" : "&") + query))
                        .build();
            }

            @Override
            public boolean renew(HttpRequest refused) {
                return false;
            }

            @Override
            public String advice() {
                return "the shared access signature has no such right, or has expired";
            }
        };
    }

    /** Takes the first that can be there, in the order of DefaultAzureCredential. */
    private static Credentials tokens(Map<String, String> environment) {
        Http http = new Http(BackOff.USUAL);
        String secret = environment.get("AZURE_CLIENT_SECRET");
        String file = environment.get("AZURE_FEDERATED_TOKEN_FILE");
        if (secret != null) {
            return new Tokens(() -> login(http, environment, Map.of("client_secret", secret)));
        } else if (file != null) {
            return new Tokens(() -> login(
                    http,
                    environment,
                    Map.of(
                            "client_assertion_type",
                            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                            "client_assertion",
                            Files.readString(Path.of(file)).trim())));
        }
        Tokens machine = new Tokens(() -> ofMachine(http, environment));
        Tokens commandLine = new Tokens(AzureAccess::ofCommandLine);
        for (Tokens each : new Tokens[] {machine, commandLine}) {
            try {
                each.value();
                return each;
            } catch (PassingException e) {
                return each; // the server is there, and the requests wait for it
            } catch (IOException e) {
                // it is not there
            }
        }
        return none();
    }

    private static Token login(Http http, Map<String, String> environment, Map<String, String> proof)
            throws IOException {
        Map<String, String> form = new HashMap<>(proof);
        form.put("grant_type", "client_credentials");
        form.put("client_id", environment.getOrDefault("AZURE_CLIENT_ID", ""));
        form.put("scope", SCOPE);
        String host = environment.getOrDefault("AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com/");
        String url = host.replaceFirst("/+$", "") + "/" + environment.getOrDefault("AZURE_TENANT_ID", "")
                + "/oauth2/v2.0/token";
        return Token.of(Tokens.json(http.send(Tokens.form(url, form))));
    }

    /** The managed identity of a function or of a virtual machine. */
    private static Token ofMachine(Http http, Map<String, String> environment) throws IOException {
        String identity = environment.get("IDENTITY_ENDPOINT");
        String client =
                environment.containsKey("AZURE_CLIENT_ID") ? "&client_id=" + environment.get("AZURE_CLIENT_ID") : "";
        HttpRequest.Builder request = identity == null
                ? Http.request("http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource="
                                + RESOURCE + client)
                        .header("Metadata", "true")
                : Http.request(identity + "?api-version=2019-08-01&resource=" + RESOURCE + client)
                        .header("X-IDENTITY-HEADER", environment.getOrDefault("IDENTITY_HEADER", ""));
        return Token.of(Tokens.json(http.send(request.timeout(MACHINE_TIMEOUT))));
    }

    private static Token ofCommandLine() throws IOException {
        Process az = new ProcessBuilder("az", "account", "get-access-token", "--output", "json", "--resource", RESOURCE)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        az.getOutputStream().close();
        az.onExit()
                .orTimeout(Http.ANSWER_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                .exceptionally(late -> az.destroyForcibly());
        String answer = new String(az.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Token.of(Tokens.json(answer), "accessToken");
    }
}
