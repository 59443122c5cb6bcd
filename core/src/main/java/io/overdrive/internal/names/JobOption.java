package io.overdrive.internal.names;

/** The options that messages can name and that are no {@code Setting}. */
public enum JobOption implements NamedOption {
    ALLOW_EXTRA_FIELDS("allowExtraFields"),
    ALLOW_MISSING_FIELDS("allowMissingFields"),
    ANY_HOST_NAME("anyHostName"),
    BLOB_ENCODING("blobEncoding"),
    COLUMNS("columns"),
    COMMENT("comment"),
    COMPARE_TIMES("ttlTolerance"),
    COMPRESSION("compression"),
    CONTACT_POINTS("contactPoints"),
    CREATE("create"),
    DATE_PATTERN("datePattern"),
    DECIMALS("decimals"),
    DECIMAL_SEPARATOR("decimalSeparator"),
    DELIMITER("delimiter"),
    DIALECT("the escape and escaping of"),
    DRY_RUN("dryRun"),
    ENCODING("encoding"),
    EPOCH_UNIT("epochUnit"),
    ESCAPE("escape"),
    EXCEPT("except"),
    FALSE_WORDS("falseWords"),
    FIELD_NAMES("fieldNames"),
    FORMAT("kind"),
    FROM_SSTABLES("fromSstables"),
    GUARD("guard"),
    GROUPING_SEPARATOR("groupingSeparator"),
    JMX("jmx"),
    JSON_TEXT("jsonText"),
    KEEP_TIMES("keepTimes"),
    KEY("key"),
    KEYS("files"),
    KEYS_FIELDS("fieldNames"),
    KEYS_MAPPING("mapping"),
    KEYS_SPILL_DIRECTORY("spillDirectory"),
    MAPPING("mapping"),
    MAX_REJECTS("maxRejects"),
    NO_HEADER("header(false)"),
    NO_JOURNAL("noJournal"),
    NULL_WORD("nullWord"),
    NULL_WORDS("nullWords"),
    PARTITION_BY("partitionBy"),
    QUOTE("quote"),
    REJECTS("rejects"),
    REPAIR("repairs"),
    RESUME("resume"),
    RESUME_IF_ANY("resumeIfAny"),
    SET("set"),
    SIDECAR("sidecar"),
    SIDECAR_TLS("tls"),
    SSH("ssh"),
    SSTABLES("sstables"),
    SSTABLE_DIRECTORY("directory"),
    TIME_PATTERN("timePattern"),
    TIME_ZONE("zone"),
    TIMESTAMP_PATTERN("timestampPattern"),
    TOKEN_RANGES("tokenRanges"),
    TOLERANCE("tolerance"),
    TRIM("trim"),
    TRUE_WORDS("trueWords"),
    TYPES("types"),
    WHERE("where"),
    WORKLOAD("workload"),
    WRITE_NULLS("writeNulls"),
    WRITTEN_AFTER("writtenAfter");

    private final String javaName;

    JobOption(String javaName) {
        this.javaName = javaName;
    }

    @Override
    public String javaName() {
        return javaName;
    }
}
