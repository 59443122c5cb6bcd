package io.overdrive.bench;

/**
 * Whether something that was published holds on this cluster.
 *
 * @param claim the published shape, as a sentence that can be true or false
 * @param verdict whether it is
 * @param evidence the figures that say so: a ratio with its interval, or why it can't be shown
 */
public record Check(String claim, Verdict verdict, String evidence) {
    public enum Verdict {
        REPRODUCED("reproduced"),
        NOT_REPRODUCED("not reproduced here"),
        CANNOT_BE_SHOWN("can't be shown on this cluster");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
