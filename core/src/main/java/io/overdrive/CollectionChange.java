package io.overdrive;

/** How a written value changes an existing collection, instead of replacing it. */
public enum CollectionChange {
    /** Adds elements: at the end of a list, to a set; or pairs to a map. For a list, not idempotent. */
    ADD,
    /** Adds elements to the front of a list. Not idempotent. */
    PREPEND,
    /** Removes elements: all equal ones from a list or a set, the entries of a set of keys from a map. */
    REMOVE
}
