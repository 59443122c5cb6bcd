package io.overdrive.stores;

/** As {@link AbfssProvider}, by {@code abfs://}: TLS is used for these, too. */
public final class AbfsProvider extends AbfssProvider {
    @Override
    public String getScheme() {
        return "abfs";
    }
}
