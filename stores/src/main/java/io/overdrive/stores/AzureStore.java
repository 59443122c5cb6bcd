package io.overdrive.stores;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Azure's Blob Storage, which serves Data Lake Storage, too. The name of a bucket is {@code container@account.dfs.core.windows.net}.
 * Thread-safe.
 */
final class AzureStore implements ObjectStore {
    private static final String API_VERSION = "2021-12-02";
    /** The limit is 50,000. */
    private static final int MAX_PARTS = 45_000;

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

    private final String scheme;
    private final Http http;
    private final AzureAccess access;
    private final Map<String, Credentials> credentials = new ConcurrentHashMap<>();
    private final Parts parts = new Parts();

    AzureStore(String scheme, Http http, AzureAccess access) {
        this.scheme = scheme;
        this.http = http;
        this.access = access;
    }

    @Override
    public BackOff backOff() {
        return http.backOff();
    }

    @Override
    public @Nullable ObjectAttributes find(String bucket, String key) throws IOException {
        try {
            HttpResponse<InputStream> answer =
                    sent(bucket, key, request(url(bucket, key)).method("HEAD", BodyPublishers.noBody()));
            answer.body().close();
            // a directory of a hierarchical account is an object, too
            boolean isDirectory = "true".equalsIgnoreCase(Http.header(answer, "x-ms-meta-hdi_isfolder"))
                    || "directory".equals(Http.header(answer, "x-ms-resource-type"));
            String size = Http.header(answer, "Content-Length");
            return isDirectory
                    ? ObjectAttributes.DIRECTORY
                    : attributes(
                            size == null ? "" : size,
                            Http.header(answer, "Last-Modified"),
                            Http.header(answer, "ETag"));
        } catch (NoSuchFileException e) {
            return null; // or there is no such container, as the listing that follows says
        }
    }

    private static ObjectAttributes attributes(String size, @Nullable String modified, @Nullable String version)
            throws IOException {
        Instant date = Instant.EPOCH;
        try {
            if (modified != null) {
                date = ZonedDateTime.parse(modified, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
            }
            return ObjectAttributes.of(Long.parseLong(size), FileTime.from(date), quoted(version));
        } catch (DateTimeException | NumberFormatException e) {
            throw new IOException("the answer has no attributes of an object", e);
        }
    }

    /** The ETag as headers have it; a listing has it without quotes. */
    private static String quoted(@Nullable String version) {
        return version == null || version.startsWith("\"") ? String.valueOf(version) : "\"" + version + "\"";
    }

    @Override
    public Items list(String bucket, String prefix, boolean enters, @Nullable String from, int limit)
            throws IOException {
        String url = container(bucket) + "?restype=container&comp=list&include=metadata&maxresults=" + limit
                + "&prefix=" + Http.quoted(prefix, "") + (enters ? "" : "&delimiter=%2F")
                + (from == null ? "" : "&marker=" + Http.quoted(from, ""));
        try (InputStream body = new Http.Body(sent(bucket, prefix, request(url)).body())) {
            return items(parse(body));
        } catch (NoSuchFileException e) {
            throw noContainer(bucket, prefix, e);
        }
    }

    private FileSystemException noContainer(String bucket, String key, IOException e) {
        FileSystemException none = new FileSystemException(name(bucket, key), null, "there is no container " + bucket);
        none.initCause(e);
        return none;
    }

    private static Element parse(InputStream xml) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(xml).getDocumentElement();
        } catch (SAXException e) {
            throw new IOException("the answer is no XML: " + e.getMessage(), e);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("each JVM has such a parser", e);
        }
    }

    private static Items items(Element answer) throws IOException {
        List<Item> objects = new ArrayList<>();
        List<String> directories = new ArrayList<>();
        NodeList blobs = answer.getElementsByTagName("Blob");
        for (int i = 0; i < blobs.getLength(); i++) {
            Element each = (Element) blobs.item(i);
            boolean isDirectory = text(each, "ResourceType").equals("directory")
                    || text(each, "hdi_isfolder").equals("true");
            if (!isDirectory) {
                objects.add(new Item(
                        key(each),
                        attributes(text(each, "Content-Length"), text(each, "Last-Modified"), text(each, "Etag"))));
            }
        }
        NodeList prefixes = answer.getElementsByTagName("BlobPrefix");
        for (int i = 0; i < prefixes.getLength(); i++) {
            directories.add(key((Element) prefixes.item(i)));
        }
        String next = text(answer, "NextMarker");
        return new Items(objects, directories, next.isEmpty() ? null : next);
    }

    private static String text(Element in, String name) {
        Node found = in.getElementsByTagName(name).item(0);
        return found == null ? "" : found.getTextContent();
    }

    /** The name, which is quoted if XML has no such characters. */
    private static String key(Element in) {
        Element name = (Element) in.getElementsByTagName("Name").item(0);
        String text = name.getTextContent();
        return name.getAttribute("Encoded").equals("true")
                ? URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8)
                : text;
    }

    @Override
    public InputStream read(String bucket, String key, long from, long count, String version) throws IOException {
        HttpResponse<InputStream> answer = sentOnce(
                bucket,
                key,
                request(url(bucket, key))
                        .header("x-ms-range", Http.range(from, count))
                        .header("If-Match", version));
        if (answer.statusCode() != Http.PARTIAL) {
            throw failure(bucket, key, answer);
        }
        return Http.part(answer, from);
    }

    @Override
    public String write(String bucket, String key, Path from, long size) throws IOException {
        try {
            return size <= Parts.BYTES
                    ? put(bucket, key, FilePart.body(from, 0, size), "")
                    : writeParts(bucket, key, from, size);
        } catch (NoSuchFileException e) {
            throw noContainer(bucket, key, e);
        }
    }

    /** @param condition that no object has; empty for none */
    private String put(String bucket, String key, HttpRequest.BodyPublisher body, String condition) throws IOException {
        HttpRequest.Builder request =
                request(url(bucket, key)).header("x-ms-blob-type", "BlockBlob").PUT(body);
        if (!condition.isEmpty()) {
            request.header("If-None-Match", condition);
        }
        return version(sent(bucket, key, request));
    }

    private static String version(HttpResponse<InputStream> answer) throws IOException {
        answer.body().close();
        String version = Http.header(answer, "ETag");
        return version == null ? "" : version;
    }

    /** Parts that are not committed are deleted by the store after a week; a part that is sent again replaces itself. */
    private String writeParts(String bucket, String key, Path file, long size) throws IOException {
        List<String> blocks = parts.all(size, MAX_PARTS, (number, from, count) -> {
            String id = Base64.getEncoder()
                    .encodeToString(String.format(Locale.ROOT, "%08d", number).getBytes(StandardCharsets.UTF_8));
            version(sent(
                    bucket,
                    key,
                    request(url(bucket, key) + "?comp=block&blockid=" + Http.quoted(id, ""))
                            .PUT(FilePart.body(file, from, count))));
            return id;
        });
        StringBuilder list = new StringBuilder("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>");
        blocks.forEach(each -> list.append("<Uncommitted>").append(each).append("</Uncommitted>"));
        String body = list.append("</BlockList>").toString();
        try {
            return version(sent(
                    bucket, key, request(url(bucket, key) + "?comp=blocklist").PUT(BodyPublishers.ofString(body))));
        } catch (FileSystemException e) {
            // after a try whose answer was lost, the store has no such parts any more
            ObjectAttributes known = find(bucket, key);
            if (known != null
                    && known.size() == size
                    && String.valueOf(e.getMessage()).contains("InvalidBlockList")) {
                return known.version();
            }
            throw e;
        }
    }

    @Override
    public void create(String bucket, String key, byte[] content) throws IOException {
        try {
            put(bucket, key, BodyPublishers.ofByteArray(content), "*");
        } catch (FileAlreadyExistsException | ChangedObjectException e) {
            if (!Arrays.equals(content, content(bucket, key))) {
                throw new FileAlreadyExistsException(name(bucket, key));
            }
            // by a try whose answer was lost
        } catch (NoSuchFileException e) {
            throw noContainer(bucket, key, e);
        }
    }

    private byte[] content(String bucket, String key) throws IOException {
        return http.retried(name(bucket, key), () -> {
            HttpResponse<InputStream> answer = sentOnce(bucket, key, request(url(bucket, key)));
            if (!Http.isDone(answer)) {
                throw failure(bucket, key, answer);
            }
            try (InputStream body = new Http.Body(answer.body())) {
                return body.readAllBytes();
            }
        });
    }

    @Override
    public void delete(String bucket, String key) throws IOException {
        try {
            sent(bucket, key, request(url(bucket, key)).DELETE()).body().close();
        } catch (NoSuchFileException e) {
            // by a try whose answer was lost, or by another program
        }
    }

    private static HttpRequest.Builder request(String url) {
        return Http.request(url).header("x-ms-version", API_VERSION);
    }

    /** The answer to a request that is sent until it succeeds. */
    private HttpResponse<InputStream> sent(String bucket, String key, HttpRequest.Builder request) throws IOException {
        return http.retried(name(bucket, key), () -> {
            HttpResponse<InputStream> answer = sentOnce(bucket, key, request);
            if (!Http.isDone(answer)) {
                throw failure(bucket, key, answer);
            }
            return answer;
        });
    }

    private HttpResponse<InputStream> sentOnce(String bucket, String key, HttpRequest.Builder request)
            throws IOException {
        if (access.account() != null && !access.account().equals(account(bucket))) {
            throw new AccessDeniedException(
                    name(bucket, key), null, "the credentials are of the account " + access.account());
        }
        HttpRequest.Builder dated =
                request.copy().setHeader("x-ms-date", DATE.format(ZonedDateTime.now(ZoneOffset.UTC)));
        return http.send(dated, credentials(bucket));
    }

    private IOException failure(String bucket, String key, HttpResponse<InputStream> answer) {
        Http.text(answer);
        String code = Http.header(answer, "x-ms-error-code");
        String reason = code == null ? "" : code;
        String name = name(bucket, key);
        if (reason.equals("BlobAlreadyExists")) {
            return new FileAlreadyExistsException(name);
        }
        return Http.failure(
                name, answer.statusCode(), reason, credentials(bucket).advice());
    }

    private Credentials credentials(String bucket) {
        return credentials.computeIfAbsent(account(bucket), access.credentials());
    }

    private static String account(String bucket) {
        String host = bucket.substring(bucket.indexOf('@') + 1);
        return host.substring(0, host.indexOf('.'));
    }

    private String container(String bucket) {
        String place = access.endpoint();
        String host = bucket.substring(bucket.indexOf('@') + 1);
        return (place == null ? "https://" + host.replace(".dfs.", ".blob.") : place) + "/"
                + Http.quoted(bucket.substring(0, bucket.indexOf('@')), "$");
    }

    private String url(String bucket, String key) {
        return container(bucket) + "/" + Http.quoted(key, "/");
    }

    private String name(String bucket, String key) {
        return scheme + "://" + bucket + "/" + key;
    }
}
