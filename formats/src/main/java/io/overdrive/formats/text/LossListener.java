package io.overdrive.formats.text;

/** Is called for values that their type does not keep in full. */
@FunctionalInterface
public interface LossListener {
    /**
     * @param text the value in the input, truncated to a readable length
     * @param kept the text of the value as the type keeps it
     * @throws BadValueException to refuse the value
     */
    void lost(String text, String kept);
}
