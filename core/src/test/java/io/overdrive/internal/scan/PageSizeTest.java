package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageSizeTest {
    private static final int PAGE_BYTES = 512 << 10;
    private static final int MAX_ROWS = 20_000;

    private final PageSize size = new PageSize(MAX_ROWS, PageSize.FIRST_ROWS, /* earlierRowBytes */ 0);

    @Test
    void startsWithFewRowsAsTheyMayBeLarge() {
        assertThat(size.rows(PAGE_BYTES, 0)).isEqualTo(4);
        assertThat(size.rows(PAGE_BYTES, 0)).as("before the first page").isEqualTo(4);
        size.observe(0, 0);
        assertThat(size.rows(PAGE_BYTES, 0)).as("an empty page says nothing").isEqualTo(4);
    }

    @Test
    void growsFourfoldUpToThePagesBytes() {
        int[] requested = new int[8];
        for (int i = 0; i < requested.length; i++) {
            requested[i] = size.rows(PAGE_BYTES, 0);
            size.observe(requested[i], requested[i] * 100);
        }
        assertThat(requested).containsExactly(4, 16, 64, 256, 1024, 4096, PAGE_BYTES / 100, PAGE_BYTES / 100);
    }

    @Test
    void requestsOneRowIfEachIsLargerThanAPage() {
        size.observe(4, 4 << 20);
        assertThat(size.rows(PAGE_BYTES, 0)).isEqualTo(1);
    }

    @Test
    void requestsNoMoreThanTheMaximumOfRows() {
        for (int i = 0; i < 20; i++) {
            int rows = size.rows(PAGE_BYTES, 0);
            size.observe(rows, rows);
        }
        assertThat(size.rows(PAGE_BYTES, 0)).isEqualTo(MAX_ROWS);
        assertThat(new PageSize(3, PageSize.FIRST_ROWS, /* earlierRowBytes */ 0).rows(PAGE_BYTES, 0))
                .isEqualTo(3);
    }

    @Test
    void followsTheLargerOfTheTablesAndTheSplitsOwnRows() {
        for (int i = 0; i < 20; i++) {
            size.observe(5000, 500_000);
        }
        assertThat(size.rows(PAGE_BYTES, 10)).isEqualTo(PAGE_BYTES / 100);
        assertThat(size.rows(PAGE_BYTES, 100_000))
                .as("rows after long ones are expected to be long")
                .isEqualTo(5);
        for (int i = 0; i < 20; i++) {
            size.observe(5, 500_000);
        }
        assertThat(size.rows(PAGE_BYTES, 100)).as("the table's rows got longer").isEqualTo(5);
    }

    private static int firstRows(int earlierRowBytes) {
        return new PageSize(MAX_ROWS, PageSize.FIRST_ROWS, earlierRowBytes).rows(PAGE_BYTES, 0);
    }

    @Test
    void startsWithAFourthOfAPageOfTheLongestRowsOfAnEarlierScan() {
        assertThat(firstRows(1000)).isEqualTo(PAGE_BYTES / 4000);
        assertThat(firstRows(128)).isEqualTo(PageSize.MAX_FIRST_ROWS);
        assertThat(firstRows(1)).as("rows may be megabytes now").isEqualTo(PageSize.MAX_FIRST_ROWS);
        assertThat(firstRows(1 << 20)).isEqualTo(PageSize.FIRST_ROWS);
        assertThat(firstRows(Integer.MAX_VALUE)).isEqualTo(PageSize.FIRST_ROWS);
        assertThat(new PageSize(10, PageSize.FIRST_ROWS, 100).rows(PAGE_BYTES, 0))
                .as("a maximum of the user")
                .isEqualTo(10);
        assertThat(new PageSize(MAX_ROWS, PageSize.FIRST_GROUPS, 1 << 20).rows(PAGE_BYTES, 0))
                .isEqualTo(PageSize.FIRST_GROUPS);
    }

    @Test
    void forgetsTheEarlierScanWithTheFirstAnswer() {
        PageSize again = new PageSize(MAX_ROWS, PageSize.FIRST_ROWS, 100);
        assertThat(again.rows(PAGE_BYTES, 0)).isEqualTo(1024);
        again.observe(1024, 1024 * 10_000);
        assertThat(again.rows(PAGE_BYTES, 0)).as("rows got longer").isEqualTo(PAGE_BYTES / 10_000);
        again = new PageSize(MAX_ROWS, PageSize.FIRST_ROWS, 100);
        again.observe(300, 3_000);
        assertThat(again.rows(PAGE_BYTES, 0)).as("rows got shorter").isEqualTo(1200);
    }

    @Test
    void laterScansStartWithThePageOfTheLongestRows() {
        assertThat(size.largestRowBytes()).as("no row").isZero();
        size.observe(0, 0);
        assertThat(size.largestRowBytes()).isZero();
        size.observe(2, 3);
        assertThat(size.largestRowBytes()).isEqualTo(2);
        size.observe(10, 10_000);
        size.observe(1000, 10_000);
        assertThat(size.largestRowBytes()).isEqualTo(1000);
    }
}
