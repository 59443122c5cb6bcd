package io.overdrive;

/** What a written value does with the collection that is there, instead of replacing it. */
public enum CollectionChange {
    /** Adds elements: at the end of a list, into a set; pairs into a map. For a list, not to be repeated. */
    ADD,
    /** Adds elements in front of a list. Not to be repeated. */
    PREPEND,
    /** Takes elements away: all that are the same from a list or a set; from a map those of a set of keys. */
    REMOVE
}
