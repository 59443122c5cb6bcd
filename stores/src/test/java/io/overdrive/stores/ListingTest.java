package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listings of keys that no server of the tests takes, from a store in memory. */
class ListingTest {
    private final TreeMap<String, byte[]> objects = new TreeMap<>();
    /** Objects in each directory besides those of a test, which are too many for one listing; not listed if it is listed by itself. */
    private int others;

    private final StoreProvider provider = new StoreProvider() {
        @Override
        public String getScheme() {
            return "s3";
        }

        @Override
        ObjectStore open() {
            return new Memory();
        }
    };

    private final class Memory implements ObjectStore {
        private ObjectAttributes attributes(byte[] content) {
            return ObjectAttributes.of(content.length, FileTime.fromMillis(0), "1");
        }

        @Override
        public @Nullable ObjectAttributes find(String bucket, String key) {
            byte[] content = objects.get(key);
            return content == null ? null : attributes(content);
        }

        @Override
        public Items list(String bucket, String prefix, boolean enters, @Nullable String from, int limit) {
            List<Item> found = new ArrayList<>();
            TreeSet<String> directories = new TreeSet<>();
            if (from == null) {
                objects.forEach((key, content) -> {
                    int slash = enters ? -1 : key.indexOf('/', prefix.length());
                    if (key.startsWith(prefix) && slash < 0) {
                        found.add(new Item(key, attributes(content)));
                    } else if (key.startsWith(prefix)) {
                        directories.add(key.substring(0, slash + 1));
                    }
                });
            }
            int first = from == null ? 0 : Integer.parseInt(from);
            int last = enters ? Math.min(others, first + limit) : 0;
            for (int i = first; i < last; i++) {
                found.add(new Item(prefix + "~/" + i, attributes(new byte[1])));
            }
            return new Items(found, List.copyOf(directories), last < others && enters ? String.valueOf(last) : null);
        }

        @Override
        public InputStream read(String bucket, String key, long from, long count, String version) {
            return new ByteArrayInputStream(
                    Arrays.copyOfRange(objects.get(key), (int) from, (int) Math.addExact(from, count)));
        }

        @Override
        public String write(String bucket, String key, Path from, long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void create(String bucket, String key, byte[] content) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void delete(String bucket, String key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public BackOff backOff() {
            return StoreContract.QUICK;
        }
    }

    private void put(String... keys) {
        for (String each : keys) {
            objects.put(each, each.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The keys below a directory, each of which is read, too. */
    private List<String> keys(String directory) throws IOException {
        Path from = provider.getPath(URI.create("s3://b/" + directory));
        List<String> keys = new ArrayList<>();
        try (Stream<Path> all = Files.walk(from, FileVisitOption.FOLLOW_LINKS)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                String key = each.toString().substring("s3://b/".length());
                keys.add(key);
                assertThat(Files.readString(each)).isEqualTo(key);
            }
        }
        return keys;
    }

    private void assertAllListed(String directory) throws IOException {
        assertThat(keys(directory)).containsExactlyInAnyOrderElementsOf(objects.keySet());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Listing.MAX_OBJECTS + 1})
    void listsContentUnderAKeyThatEndsWithASlash(int more) throws IOException {
        others = more;
        put("d/", "d/a.csv", "d/b/", "d/b/c.csv", "d/e//", "d/f/");
        assertAllListed("d/");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Listing.MAX_OBJECTS + 1})
    void ignoresTheEmptyObjectsOfDirectories(int more) throws IOException {
        others = more;
        put("d/b/c.csv", "d/e.csv");
        for (String each : List.of("d/", "d/b/", "d/f/", "d/g//")) {
            objects.put(each, new byte[0]);
        }
        assertThat(keys("d/")).containsExactlyInAnyOrder("d/b/c.csv", "d/e.csv");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Listing.MAX_OBJECTS + 1})
    void listsKeysWithEmptyNames(int more) throws IOException {
        others = more;
        put("/a.csv", "/b/c.csv", "//d.csv", "///e.csv", "f//g.csv", "f///h/", "f/i.csv", "/");
        assertAllListed("");
    }

    @Test
    void listsBelowAnEmptyName() throws IOException {
        put("f//g.csv", "f/i.csv", "/a.csv", "/b/c.csv");
        assertThat(keys("f//")).containsExactly("f//g.csv");
        assertThat(keys("/b/")).containsExactly("/b/c.csv");
    }

    @Test
    void takesDotsAndOddCharactersAsTheyAre() throws IOException {
        put("d/../e.csv", "d/./f.csv", "d/..", "d/%2F.csv", "d/a+b.csv", "d/?#&;.csv", "d/a b", "d/\n.csv", "d/é/ü");
        assertAllListed("d/");
    }

    @Test
    void doesNotTakeADirectoryForAnotherWithALongerName() throws IOException {
        put("exports/a.csv", "exports-old/b.csv", "exports.csv", "exports0/c.csv");
        assertThat(keys("exports")).containsExactly("exports/a.csv");
        assertThat(keys("exports/")).containsExactly("exports/a.csv");
    }

    @Test
    void listsAnObjectWithTheNameOfADirectory() throws IOException {
        put("d/a", "d/a/b", "d/a/b/c");
        assertAllListed("d/");
    }
}
