package io.overdrive.jobs.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionTest {
    /** The columns of the row, with their values as text; null for a null. */
    private static final Map<String, DataType> TYPES = new LinkedHashMap<>();

    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("s", " Größe 😀 "),
            Map.entry("Odd name", "odd"),
            Map.entry("email", "ada@example.org"),
            Map.entry("e", ""),
            Map.entry("i", "7"),
            Map.entry("b", "9223372036854775807"),
            Map.entry("v", "12345678901234567890"),
            Map.entry("d", "10.50"),
            Map.entry("f", "0.1"),
            Map.entry("x", "2.5"),
            Map.entry("zero", "0"),
            Map.entry("yes", "true"),
            Map.entry("ts", "2024-02-29T13:45:30.250Z"),
            Map.entry("ts2", "2024-02-28T13:45:30.250Z"),
            Map.entry("day", "2024-01-31"),
            Map.entry("t", "23:30:00"),
            Map.entry("span", "1mo2d3h"),
            Map.entry("id", "550e8400-e29b-41d4-a716-446655440000"),
            Map.entry("tags", "['a', 'b']"),
            Map.entry("json", "{\"a\": {\"b\": [1, {\"c\": \"deep\"}], \"n\": null}, \"t\": true}"));

    static {
        TYPES.put("s", DataTypes.TEXT);
        TYPES.put("Odd name", DataTypes.TEXT);
        TYPES.put("email", DataTypes.TEXT);
        TYPES.put("e", DataTypes.TEXT);
        TYPES.put("none", DataTypes.TEXT);
        TYPES.put("no_number", DataTypes.INT);
        TYPES.put("no_time", DataTypes.TIMESTAMP);
        TYPES.put("i", DataTypes.INT);
        TYPES.put("b", DataTypes.BIGINT);
        TYPES.put("v", DataTypes.VARINT);
        TYPES.put("d", DataTypes.DECIMAL);
        TYPES.put("f", DataTypes.FLOAT);
        TYPES.put("x", DataTypes.DOUBLE);
        TYPES.put("zero", DataTypes.DOUBLE);
        TYPES.put("yes", DataTypes.BOOLEAN);
        TYPES.put("ts", DataTypes.TIMESTAMP);
        TYPES.put("ts2", DataTypes.TIMESTAMP);
        TYPES.put("day", DataTypes.DATE);
        TYPES.put("t", DataTypes.TIME);
        TYPES.put("span", DataTypes.DURATION);
        TYPES.put("id", DataTypes.UUID);
        TYPES.put("tags", DataTypes.listOf(DataTypes.TEXT));
        TYPES.put("json", DataTypes.TEXT);
    }

    /** Each line is an expression, its type, and its value as text; no value is a null. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '§',
            quoteCharacter = '`',
            textBlock =
                    """
            upper(s)                                  § text      § ` GRÖSSE 😀 `
            lower("Odd name")                         § text      § odd
            UPPER(E)                                  § text      § ``
            upper(none)                               § text      §
            trim(s)                                   § text      § Größe 😀
            ltrim(s)                                  § text      § `Größe 😀 `
            rtrim(s)                                  § text      § ` Größe 😀`
            trim('\u00a0x\u2003')                     § text      § `\u00a0x`
            length(s)                                 § bigint    § 9
            length(e)                                 § bigint    § 0
            substr(s, 2)                              § text      § `Größe 😀 `
            substr(s, 8, 1)                           § text      § 😀
            substr(s, 99)                             § text      § ``
            substr(s, 2, 0)                           § text      § ``
            left(s, 3)                                § text      § ` Gr`
            left(none, 3)                             § text      §
            right(s, 2)                               § text      § `😀 `
            right(s, 99)                              § text      § ` Größe 😀 `
            right('ab', 0)                            § text      § ``
            replace(email, '@', ' at ')               § text      § ada at example.org
            replace(email, '', 'x')                   § text      § ada@example.org
            lpad(text(i), 3, '0')                     § text      § 007
            rpad('ab', 5, 'äö')                       § text      § abäöä
            lpad('abc', 2, 'x')                       § text      § abc
            split_part(email, '@', 2)                 § text      § example.org
            split_part(email, '@', 3)                 § text      §
            split_part(e, '@', 1)                     § text      § ``
            starts_with(email, 'ada')                 § boolean   § true
            ends_with(email, 'com')                   § boolean   § false
            contains(s, '😀')                         § boolean   § true
            contains(none, 'a')                       § boolean   §
            regexp_like(email, '^a.*g$')              § boolean   § true
            regexp_like(e, '.')                       § boolean   § false
            regexp_extract(email, '@(\\w+)', 1)       § text      § example
            regexp_extract(email, '\\d+')             § text      §
            regexp_extract(email, '[a-z]+')           § text      § ada
            regexp_replace(email, '(\\w+)@', '$1 at ') § text     § ada at example.org
            regexp_replace(none, 'a', 'b')            § text      §
            'it''s ' || "Odd name"                    § text      § it's odd
            'n' || i || d || day                      § text      § n710.502024-01-31
            'n' || none                               § text      §
            concat('a', e, 'b')                       § text      § ab
            text(f)                                   § text      § 0.1
            text(id)                                  § text      § 550e8400-e29b-41d4-a716-446655440000
            text(tags)                                § text      § ['a', 'b']
            text(span)                                § text      § 1mo2d3h
            text(no_number)                           § text      §
            upper(id)                                 § text      § 550E8400-E29B-41D4-A716-446655440000
            i + 1                                     § bigint    § 8
            -i                                        § bigint    § -7
            - -2                                      § bigint    § 2
            b - 1                                     § bigint    § 9223372036854775806
            i / 2                                     § bigint    § 3
            i % 4                                     § bigint    § 3
            i + 2 * 3 - (1 + 1)                       § bigint    § 11
            no_number + 1                             § bigint    §
            v * v                                     § varint    § 152415787532388367501905199875019052100
            v + i                                     § varint    § 12345678901234567897
            v / 7                                     § varint    § 1763668414462081127
            d * 1.1                                   § decimal   § 11.550
            d + v                                     § decimal   § 12345678901234567900.50
            d / 3                                     § decimal   § 3.50
            1.0 / 3                                   § decimal   § 0.3333333333333333333333333333333333
            decimal(1) / 3                            § decimal   § 0.3333333333333333333333333333333333
            d % 3                                     § decimal   § 1.50
            x * 2                                     § double    § 5.0
            x * 1.5                                   § double    § 3.75
            double(i) / 2                             § double    § 3.5
            -x                                        § double    § -2.5
            abs(-i)                                   § bigint    § 7
            abs(-d)                                   § decimal   § 10.50
            abs(-x)                                   § double    § 2.5
            abs(-v)                                   § varint    § 12345678901234567890
            round(d)                                  § decimal   § 11
            round(d, 1)                               § decimal   § 10.5
            round(x)                                  § double    § 3.0
            round(2.345, 2)                           § decimal   § 2.35
            floor(d)                                  § decimal   § 10
            floor(-x)                                 § double    § -3.0
            ceil(d)                                   § decimal   § 11
            ceil(i)                                   § bigint    § 7
            least(i, 3, 9)                            § bigint    § 3
            greatest(d, i)                            § decimal   § 10.50
            greatest('a', 'b')                        § text      § b
            least(none, 'b')                          § text      §
            int('42')                                 § int       § 42
            bigint(round(d))                          § bigint    § 11
            varint(b)                                 § varint    § 9223372036854775807
            decimal(f)                                § decimal   § 0.10000000149011612
            decimal('1.20')                           § decimal   § 1.20
            double(d)                                 § double    § 10.5
            boolean('t')                              § boolean   § true
            boolean(yes)                              § boolean   § true
            i = 7                                     § boolean   § true
            i = 7.0                                   § boolean   § true
            i != 7                                    § boolean   § false
            i <> 8                                    § boolean   § true
            i < 8 and not i > 9 or false              § boolean   § true
            not i <= 6 and i >= 7                     § boolean   § true
            is_null(none) or none = 'a'               § boolean   § true
            none = 'a' or is_null(none)               § boolean   § true
            not is_null(none) and length(none) > 1    § boolean   § false
            none = 'a' and true                       § boolean   §
            none = 'a' or false                       § boolean   §
            i = 7 or 1 / (i - 7) > 1                  § boolean   § true
            zero = 0 and -zero = 0                    § boolean   § true
            double('NaN') = double('NaN')             § boolean   § true
            greatest('😀', 'ｚ')                      § text      § 😀
            'a' < 'ab' and 'b' > 'ab'                 § boolean   § true
            -double(1.5)                              § double    § -1.5
            -double('NaN')                            § double    § NaN
            -abs(null)                                § bigint    §
            none = 'a'                                § boolean   §
            day < date('2024-02-01')                  § boolean   § true
            d = 10.5                                  § boolean   § true
            yes = true                                § boolean   § true
            tags = tags                               § boolean   § true
            span = duration('1mo2d3h')                § boolean   § true
            coalesce(none, e, 'x')                    § text      § ``
            coalesce(no_number, 3)                    § int       § 3
            coalesce(no_number, 99999999999)          § bigint    § 99999999999
            if(yes, 16777217, f)                      § double    § 1.6777217E7
            if(yes, 16777216, f)                      § float     § 1.6777216E7
            if(yes, 0.1, f)                           § float     § 0.1
            coalesce(no_number, 3.5)                  § decimal   § 3.5
            coalesce(no_number, no_number)            § int       §
            coalesce(tags, null)                      § list<text> § ['a', 'b']
            nullif(trim(e), '')                       § text      §
            nullif(i, 8)                              § int       § 7
            nullif(none, 'a')                         § text      §
            if(i > 5, 'big', 'small')                 § text      § big
            if(none = 'a', 1, 2)                      § bigint    § 2
            if(yes, null, i)                          § int       §
            is_null(none)                             § boolean   § true
            is_null(e)                                § boolean   § false
            year(ts)                                  § bigint    § 2024
            month(day)                                § bigint    § 1
            day(ts)                                   § bigint    § 29
            day_of_week(day)                          § bigint    § 3
            hour(ts)                                  § bigint    § 13
            minute(t)                                 § bigint    § 30
            second(ts)                                § bigint    § 30
            year(no_time)                             § bigint    §
            millis(ts)                                § bigint    § 1709214330250
            timestamp(1709214330250)                  § timestamp § 2024-02-29T13:45:30.250Z
            timestamp(day)                            § timestamp § 2024-01-31T00:00:00Z
            timestamp('2024-02-29')                   § timestamp § 2024-02-29T00:00:00Z
            timestamp('29.02.2024', 'dd.MM.yyyy')     § timestamp § 2024-02-29T00:00:00Z
            timestamp('29.02.2024 7:05', 'dd.MM.yyyy H:mm') § timestamp § 2024-02-29T07:05:00Z
            timestamp('2024-02-29 07:05 +0100', 'yyyy-MM-dd HH:mm xx') § timestamp § 2024-02-29T06:05:00Z
            timestamp('2024-10-27 02:30 Europe/Berlin', 'yyyy-MM-dd HH:mm VV') § timestamp § 2024-10-27T00:30:00Z
            timestamp('2024-02-29 07 pm', 'yyyy-MM-dd hh a') § timestamp § 2024-02-29T19:00:00Z
            timestamp('2024-02-29 07', 'yyyy-MM-dd HH') § timestamp § 2024-02-29T07:00:00Z
            date('31-dec-99', 'dd-MMM-yy')            § date      § 1999-12-31
            format(ts, 'HH:mm VV')                    § text      § 13:45 Z
            date(ts)                                  § date      § 2024-02-29
            date('31.12.2023', 'dd.MM.yyyy')          § date      § 2023-12-31
            time(ts)                                  § time      § 13:45:30.250
            time('7:05', 'H:mm')                      § time      § 07:05:00
            trunc(ts, 'hour')                         § timestamp § 2024-02-29T13:00:00Z
            trunc(ts, 'month')                        § timestamp § 2024-02-01T00:00:00Z
            trunc(day, 'week')                        § date      § 2024-01-29
            trunc(day, 'year')                        § date      § 2024-01-01
            format(ts, 'yyyy/MM/dd HH')               § text      § 2024/02/29 13
            format(day, 'd MMM yy')                   § text      § 31 Jan 24
            format(t, 'HHmm')                         § text      § 2330
            ts + duration('1d')                       § timestamp § 2024-03-01T13:45:30.250Z
            ts - span                                 § timestamp § 2024-01-27T10:45:30.250Z
            day + duration('1mo')                     § date      § 2024-02-29
            day - duration('1y')                      § date      § 2023-01-31
            t + duration('15m')                       § time      § 23:45:00
            ts - ts2                                  § duration  § 24h
            day - date('2024-01-01')                  § bigint    § 30
            span + duration('1d')                     § duration  § 1mo3d3h
            span * 2                                  § duration  § 2mo4d6h
            -span                                     § duration  § -1mo2d3h
            json_text(json, 'a.b[1].c')               § text      § deep
            json_text(json, 'a.b')                    § text      § [1,{"c":"deep"}]
            json_text(json, 't')                      § text      § true
            json_text(json, 'a.n')                    § text      §
            json_text(json, 'a.b[9]')                 § text      §
            json_text(json, 'x.y')                    § text      §
            json_text('7', 'a')                       § text      §
            json_text('{"o": {"x": 1234567890.123456789012, "y": 1e400, "z": [-0.0, 1E2]}}', 'o') § text § {"x":1234567890.123456789012,"y":1e400,"z":[-0.0,1E2]}
            json_text('{"a.b": {"": {"[0]": {"q\\"": 5}}}}', '"a.b".""."[0]"."q\"""') § text § 5
            json_text('[[1], [2, [3]]]', '[1][1][0]') § text      § 3
            json_text('', 'a')                        § text      §
            int(json_text(json, 'a.b[0]')) + 1        § bigint    § 2
            tags                                      § list<text> § ['a', 'b']
            id                                        § uuid      § 550e8400-e29b-41d4-a716-446655440000
            i                                         § int       § 7
            """)
    void computesAValueOfAType(String expression, String type, @Nullable String value) {
        Computation computation = bind(expression, null);

        assertThat(computation.outputType(0).asCql(/* includeFrozen */ false, /* pretty */ true))
                .isEqualTo(type);
        assertThat(compute(computation)).isEqualTo(value);
    }

    @Test
    void testsEveryFunction() throws Exception {
        CsvSource lines = ExpressionTest.class
                .getDeclaredMethod("computesAValueOfAType", String.class, String.class, String.class)
                .getAnnotation(CsvSource.class);
        List<String> untested = Compiler.functions().stream()
                .filter(name -> !name.equals("raw"))
                .filter(name -> !Pattern.compile("\\b" + name + "\\(", Pattern.CASE_INSENSITIVE)
                        .matcher(lines.textBlock())
                        .find())
                .toList();

        assertThat(untested).isEmpty();
    }

    /** Each line is an expression, the type of its column, and the message without the assignment. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '§',
            quoteCharacter = '`',
            textBlock =
                    """
            uper(s)            § text   § at position 5, there is no function "uper": did you mean "upper"?
            upper(emial)       § text   § at position 11, there is no column "emial": did you mean "email"?
            upper(odd)         § text   § at position 11, there is no column "odd"; the columns are Odd name, b, d, day, e, email, f, i, id, json, no_number, no_time, none, s, span, t, tags, ts, ts2, v, x, yes, zero
            upper("S")         § text   § at position 11, there is no column "S": did you mean "s"?
            upper(i)           § text   § at position 5, there is upper(text), got (bigint)
            upper(s, 1)        § text   § at position 5, there is upper(text), got (text, bigint)
            round(s)           § int    § at position 5, there is round(bigint) or round(varint) or round(decimal) or round(double) or round(decimal, bigint) or round(double, bigint), got (text)
            s + 1              § int    § at position 7, + does not go with text and bigint: make a number of a text by int(), bigint(), decimal() or double(); texts are joined by ||
            d * x              § double § at position 7, * does not go with decimal and double: say which of the two it is to be, by double() or decimal()
            b * x              § double § at position 7, * does not go with bigint and double: say which of the two it is to be, by double() or decimal()
            ts + 1             § text   § at position 8, + does not go with timestamp and bigint: give a duration, as duration('1d12h')
            ts > '2024'        § boolean § at position 8, > does not compare timestamp with text: make a time of a text by timestamp(), date() or time()
            tags < tags        § boolean § at position 10, < does not compare list<text> with list<text>
            tags || 'x'        § int    § at position 10, column "c" is int, and the expression gives text: int(…) makes one of it
            i                  § text   § at position 5, column "c" is text, and the expression gives bigint: text(…) makes one of it
            d                  § bigint § at position 5, column "c" is bigint, and the expression gives decimal: bigint(…) makes one of it
            tags               § text   § at position 5, column "c" is text, and the expression gives list<text>: text(…) makes one of it
            tags               § date   § at position 5, column "c" is date, and the expression gives list<text>
            int(tags)          § int    § at position 5, int() does not take list<text>
            bigint(ts)         § bigint § at position 5, bigint() does not take timestamp: use millis()
            if(i, 1, 2)        § int    § at position 8, the first value of if() needs boolean, got bigint
            if(yes, 1)         § int    § at position 5, if() takes 3 values, got 2
            coalesce(i)        § int    § at position 5, coalesce() takes at least 2 values, got 1
            coalesce(i, s)     § int    § at position 5, coalesce() needs values of one type, got bigint and text
            not s              § boolean § at position 9, not needs boolean, got text
            -s                 § text   § at position 5, - needs a number or a duration, got text
            regexp_like(s, e)  § boolean § at position 20, value 2 of regexp_like() must be a text in single quotes, the same for all rows
            regexp_like(s, '(') § boolean § at position 5, regexp_like(): the regular expression '(' is wrong: Unclosed group
            regexp_replace(s, 'b', '$2') § text § at position 28, value 3 of regexp_replace() needs a group from 0 to 0, got 2
            regexp_replace(s, '(b)', 'x$') § text § at position 30, value 3 of regexp_replace() has "$" or "\\" in another place than before a group's number, or the character that it escapes: Illegal group reference: group index is missing
            regexp_extract(s, '(?x)b # c', 1) § text § at position 36, value 3 of regexp_extract() needs a group from 0 to 0, got 1
            format(ts, 'b')    § text   § at position 5, format(): the pattern 'b' is wrong: Unknown pattern letter: b
            trunc(ts, 'hr')    § timestamp § at position 5, trunc(): the unit is 'hr', must be year, month, week, day, hour, minute or second
            json_text(s, 'a..b') § text § at position 5, json_text(): the path is 'a..b', must be names with points and numbers in brackets: 'address.lines[0]'; other names are in double quotes: 'address."zip.code"'
            int('4o')          § int    § at position 5, the result of int() is int, got "4o"
            i / 0 + 1 / 0      § int    § at position 15, the result of / has 0 as its divisor
            upper(s            § text   § closing brace not found
            s email            § text   § an operator or a comma is missing between two values
            s 'a'              § text   § an operator or a comma is missing between two values
            1 +                § int    § at position 7, "+": missing second operand for operator
            'abc               § text   § at position 5, the quote has no closing quote
            i $ 2              § int    § at position 7, "$": undefined operator '$'
            ä + 1              § int    § at position 5, "ä" is neither in a text ('…') nor in a quoted name ("…")
            _x                 § text   § at position 5, a name cannot begin with _ unless it is in double quotes
            raw(s)             § text   § at position 9, raw() is for fields of files
            raw(1)             § text   § at position 5, raw() takes the name of a field
            raw('a')           § text   § at position 5, raw() takes the name of a field
            format(day, 'HH')  § text   § at position 5, format(): the pattern 'HH' is wrong: Unsupported field: HourOfDay
            date(s, 'dd.mm.yyyy') § date § at position 5, date(): the pattern 'dd.mm.yyyy' is wrong: m is the minute: use MM for the month
            date(s, 'b')       § date   § at position 5, date(): the pattern 'b' is wrong: Unknown pattern letter: b
            s = null           § boolean § at position 7, = null is never true: use is_null()
            😀 || s            § text   § at position 5, "😀" is neither in a text ('…') nor in a quoted name ("…")
            0x1F               § int    § at position 5, "0x1F" is not a number
            ``                 § text   § empty expression
            """)
    void refusesAnExpressionBeforeTheFirstRow(String expression, String type, String message) {
        assertThatThrownBy(() -> bind(expression, type(type)))
                .hasMessage("set \"c = " + expression + "\": " + message)
                .isInstanceOfAny(IllegalArgumentException.class, OverdriveException.class);
    }

    /** Each line is an expression, the type of its column, and the message after the column's name. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '§',
            quoteCharacter = '`',
            textBlock =
                    """
            int(email)           § int      § at position 5, the result of int() is int, got "ada@example.org"
            b + 1                § bigint   § at position 7, the result of + is bigint, but 9223372036854775807 + 1 is out of range
            b                    § int      § the column is int, but 9223372036854775807 is out of range
            i * 100              § tinyint  § the column is tinyint, but 700 is out of range
            i * 10000            § smallint § the column is smallint, but 70000 is out of range
            v                    § bigint   § the column is bigint, but 12345678901234567890 is out of range
            int(b)               § int      § at position 5, the result of int() is int, but 9223372036854775807 is out of range
            int(d)               § int      § at position 5, the result of int() is int, but 10.50 is not whole (round(), floor() and ceil() make it so)
            1 / (i - 7)          § bigint   § at position 7, the result of / has 0 as its divisor
            double('1e200')      § float    § the column is float, but 1.0E200 is out of range
            email                § uuid     § the column is uuid, got "ada@example.org"
            s                    § ascii    § the column is ascii, but " Größe 😀 " holds other characters
            substr(email, i - 7) § text     § at position 5, the result of substr() needs a start of at least 1, got 0
            left(email, -i)      § text     § at position 5, the result of left() needs a count of at least 0, got -7
            lpad(email, b, 'x')  § text     § at position 5, the result of lpad() has at most 1000000 characters, got 2147483647
            split_part(email, e, 1) § text  § at position 5, the result of split_part() needs a delimiter, and a number of at least 1, got 1
            regexp_extract(email, 'a', i) § text § at position 5, the result of regexp_extract() needs a group from 0 to 0, got 7
            regexp_replace(email, 'a', '$' || i) § text § at position 5, the result of regexp_replace() needs a group from 0 to 0, got 7
            json_text(email, 'a') § text    § at position 5, the result of json_text() is of JSON, got "ada@example.org"
            date(email, 'dd.MM.yyyy') § date § at position 5, the result of date() is date, got "ada@example.org", which does not match the pattern dd.MM.yyyy
            date('31.02.2024', 'dd.MM.yyyy') § date § at position 5, the result of date() is date, got "31.02.2024", which does not match the pattern dd.MM.yyyy
            time('24:00', 'HH:mm') § time   § at position 5, the result of time() is time, got "24:00", which does not match the pattern HH:mm
            json_text('{"d": 1, "d": 2}', 'd') § text § at position 5, the result of json_text() is of JSON, which has "d" twice in one object
            json_text('{"d": 1} x', 'd') § text § at position 5, the result of json_text() is of JSON, got "{"d": 1} x"
            json_text('{"d": 1', 'd') § text § at position 5, the result of json_text() is of JSON, got "{"d": 1"
            x / 0                § double   § at position 7, the result of / has 0 as its divisor
            x % zero             § double   § at position 7, the result of % has 0 as its divisor
            duration('4mo') * 4611686018427387905 § duration § at position 21, the result of * cannot be computed: long overflow
            ts + duration('500us') § timestamp § at position 8, the result of + is timestamp, which has milliseconds, but 500us has parts of one
            regexp_extract(lpad(email, 40, 'a'), '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)!') § text § at position 5, the result of regexp_extract() takes too long: the regular expression '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)!' looks at the characters of this text, 40, again and again
            replace(lpad(email, 100000, 'a'), 'a', lpad(email, 30000, 'b')) § text § at position 5, the result of replace() has at most 16777216 characters, got more
            regexp_replace(lpad(email, 100000, 'a'), 'a', lpad(email, 30000, 'b')) § text § at position 5, the result of regexp_replace() has at most 16777216 characters, got more
            day + duration('1h') § date     § at position 9, the result of + is date, but 1h is not of whole days
            t + duration('1h')   § time     § at position 7, the result of + is time, but 23:30 and 1h are not within one day
            round(decimal('1E-99999')) § decimal § at position 5, the result of round() needs more than 10000 digits, for a value with the scale 99999
            """)
    void rejectsARowWhoseValueCannotBeComputed(String expression, String type, String message) {
        Computation computation;
        try {
            computation = bind(expression, type(type));
        } catch (OverdriveException e) { // all of it is in the text
            assertThat(e).hasMessageEndingWith(message);
            return;
        }
        assertThatThrownBy(() -> compute(computation))
                .isInstanceOf(BadValueException.class)
                .hasMessage("cannot be set by \"c = " + expression + "\": " + message);
    }

    @Test
    void letsAllExpressionsSeeTheValuesFromBefore() {
        Computation swap = Assignments.parse(List.of("s = email", "email = s")).bind(new Row(), TYPES::get);

        assertThat(compute(swap, 0)).isEqualTo("ada@example.org");
        assertThat(compute(swap, 1)).isEqualTo(" Größe 😀 ");
    }

    @Test
    void refusesExpressionsThatAreNestedTooDeeply() {
        for (String text : List.of(
                "upper(".repeat(20_000) + "s" + ")".repeat(20_000),
                "s || ".repeat(20_000) + "s",
                "not ".repeat(20_000) + "yes",
                "- ".repeat(20_000) + "i")) {
            assertThatThrownBy(() -> bind(text, null))
                    .hasMessageEndingWith(
                            "more than 500 operators and functions are nested; concat() and coalesce() take"
                                    + " many values");
        }
        assertThat(compute(bind("i + ".repeat(400) + "i", null))).isEqualTo("2807");
    }

    @Test
    void findsARegularExpressionInALongText() {
        Computation replaced = bind("length(regexp_replace(lpad(email, 1000000, 'ab'), '(a)b', '$1c'))", null);

        assertThat(compute(replaced)).isEqualTo("1000000");
    }

    @Test
    void refusesTwoExpressionsForAColumn() {
        assertThatThrownBy(() -> Assignments.parse(List.of("a = 1", "A = 2")))
                .hasMessage("set \"A = 2\": set \"a = 1\" computes column \"a\", too; leave one of them out");
    }

    @Test
    void refusesATextWithoutAColumn() {
        for (String text : List.of("upper(s)", "= 1", "a == 1", "1 = 1", "a b = 1", "")) {
            assertThatThrownBy(() -> Assignments.parse(List.of(text)))
                    .hasMessage("set is \"" + text + "\", must be a column, = and an expression, such as"
                            + " \"city = upper(city)\"");
        }
    }

    @Test
    void namesColumnsAsCqlDoes() {
        Assignments assignments =
                Assignments.parse(List.of("City=upper(\"Say \"\"hi\"\"\") || CITY", "\"C\" = raw(c)"));

        assertThat(assignments.columns()).containsExactly("city", "C");
        assertThat(assignments.names().stream().map(Name::text)).containsExactly("Say \"hi\"", "city", "c");
    }

    @Test
    void documentsEveryFunction() throws Exception {
        String page = Files.readString(Path.of("../docs/reference/expressions.md"));
        TreeSet<String> documented = Pattern.compile("`([a-z_]+)\\(")
                .matcher(page)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(Compiler.functions());
    }

    private static DataType type(String name) {
        return Stream.of(
                        DataTypes.TINYINT,
                        DataTypes.SMALLINT,
                        DataTypes.INT,
                        DataTypes.BIGINT,
                        DataTypes.DECIMAL,
                        DataTypes.FLOAT,
                        DataTypes.DOUBLE,
                        DataTypes.BOOLEAN,
                        DataTypes.ASCII,
                        DataTypes.TEXT,
                        DataTypes.UUID,
                        DataTypes.DATE,
                        DataTypes.TIME,
                        DataTypes.TIMESTAMP,
                        DataTypes.DURATION)
                .filter(type -> type.asCql(false, true).equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Computation bind(String expression, @Nullable DataType type) {
        return Assignments.parse(List.of("c = " + expression)).bind(new Row(), column -> type);
    }

    private static final class Row implements Assignments.Names {
        @Override
        public @Nullable DataType type(Name name) {
            if (name.isRaw()) {
                throw new IllegalArgumentException("raw() is for fields of files");
            }
            return TYPES.get(name.text());
        }

        @Override
        public List<String> known() {
            return List.copyOf(TYPES.keySet());
        }
    }

    private static @Nullable String compute(Computation computation) {
        return compute(computation, 0);
    }

    private static @Nullable String compute(Computation computation, int output) {
        computation.clear();
        for (int i = 0; i < computation.inputs().size(); i++) {
            String text = VALUES.get(computation.inputs().get(i).text());
            if (text != null) {
                Bytes cell = new Bytes(16);
                char[] chars = text.toCharArray();
                ValueText.of(computation.inputType(i), ValueFormat.DEFAULT).parse(chars, 0, chars.length, cell);
                computation.set(i, cell.array(), 0, cell.length());
            }
        }
        Bytes out = new Bytes(16);
        if (!computation.compute(output, out)) {
            assertThat(out.length()).isZero();
            return null;
        }
        Bytes text = new Bytes(16);
        ValueText.of(computation.outputType(output), ValueFormat.DEFAULT).write(out.array(), 0, out.length(), text);
        return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
    }
}
