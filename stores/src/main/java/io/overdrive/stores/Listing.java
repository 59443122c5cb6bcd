package io.overdrive.stores;

import io.overdrive.stores.ObjectStore.Item;
import io.overdrive.stores.ObjectStore.Items;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The objects below a directory, those of its directories included: a request lists a thousand, where one for each directory would list
 * fewer. Immutable.
 */
final class Listing {
    /** Directories with more objects are listed one by one, so that memory is bounded. */
    static final int MAX_OBJECTS = 100_000;

    private static final int PAGE = 1_000;

    /** Objects that show that a directory exists: more than one, as Azure counts directories, too. */
    private static final int FEW = 10;

    private final TreeMap<String, ObjectAttributes> objects;

    private Listing(TreeMap<String, ObjectAttributes> objects) {
        this.objects = objects;
    }

    /** The objects and directories in a directory. */
    static List<Path> of(StorePath directory, ObjectStore store) throws IOException {
        Listing known = directory.listing();
        if (known != null) {
            return known.children(directory, prefix(directory));
        }
        TreeMap<String, ObjectAttributes> all = new TreeMap<>();
        String next = null;
        do {
            Items items = store.list(directory.bucket(), prefix(directory), /* enters */ true, next, PAGE);
            for (Item each : items.objects()) {
                all.put(each.key(), each.attributes());
            }
            next = items.next();
        } while (next != null && all.size() < MAX_OBJECTS);
        return next == null
                ? new Listing(all).children(directory, prefix(directory))
                : directlyIn(directory, prefix(directory), store);
    }

    /** Whether there are objects in a directory. An answer may have none, and others follow. */
    static boolean hasObjects(StorePath directory, ObjectStore store) throws IOException {
        String next = null;
        do {
            Items items = store.list(directory.bucket(), prefix(directory), /* enters */ true, next, FEW);
            if (!items.objects().isEmpty()) {
                return true;
            }
            next = items.next();
        } while (next != null);
        return false;
    }

    private static List<Path> directlyIn(StorePath directory, String prefix, ObjectStore store) throws IOException {
        List<Path> found = new ArrayList<>();
        String next = null;
        do {
            Items items = store.list(directory.bucket(), prefix, /* enters */ false, next, PAGE);
            for (Item each : items.objects()) {
                if (!isMark(each.key(), each.attributes())) {
                    found.add(path(directory, each.key(), each.attributes(), null));
                }
            }
            for (String each : items.directories()) {
                if (each.equals("/")) {
                    found.addAll(directlyIn(directory, each, store));
                } else {
                    found.add(path(directory, each.substring(0, each.length() - 1), ObjectAttributes.DIRECTORY, null));
                }
            }
            next = items.next();
        } while (next != null);
        return found;
    }

    /**
     * The objects and directories whose keys begin so. A directory without a name at the beginning of keys would be the bucket, so what is in
     * it is found with what is in the bucket.
     */
    private List<Path> children(StorePath directory, String prefix) {
        List<Path> found = new ArrayList<>();
        String key = firstFrom(prefix);
        while (key != null && key.startsWith(prefix)) {
            int slash = key.indexOf('/', prefix.length());
            if (slash < 0) {
                ObjectAttributes object = Objects.requireNonNull(objects.get(key));
                if (!isMark(key, object)) {
                    found.add(path(directory, key, object, null));
                }
                key = objects.higherKey(key);
            } else {
                String child = key.substring(0, slash);
                if (child.isEmpty()) {
                    found.addAll(children(directory, "/"));
                } else {
                    found.add(path(directory, child, ObjectAttributes.DIRECTORY, this));
                }
                key = firstFrom(child + (char) ('/' + 1));
            }
        }
        return found;
    }

    /** Whether an object only stands for its directory, as consoles create it: one with content is none, whatever its key is. */
    private static boolean isMark(String key, ObjectAttributes object) {
        return key.endsWith("/") && object.size() == 0;
    }

    /** The first key that is not before this one; null if all are. */
    private @Nullable String firstFrom(String key) {
        SortedMap<String, ObjectAttributes> rest = objects.tailMap(key);
        return rest.isEmpty() ? null : rest.firstKey();
    }

    private static StorePath path(
            StorePath directory, String key, @Nullable ObjectAttributes attributes, @Nullable Listing listing) {
        return new StorePath(directory.getFileSystem(), /* isAbsolute */ true, key, attributes, listing);
    }

    /** The common beginning of the keys of all objects in a directory. */
    static String prefix(StorePath directory) {
        return directory.key().isEmpty() ? "" : directory.key() + "/";
    }
}
