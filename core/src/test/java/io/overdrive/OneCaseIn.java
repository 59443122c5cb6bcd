package io.overdrive;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Makes the normal build run the first case of a parameterized test and then each n-th; the nightly tier runs all cases,
 * and so does a test that is named. CONTRIBUTING.md, "Tiers".
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("cases")
@ExtendWith(OneCaseIn.Condition.class)
public @interface OneCaseIn {
    /** How many cases there are for each one that runs in the normal build. */
    int value();

    /** Disables the other cases, unless {@code -Doverdrive.cases=all}. */
    final class Condition implements ExecutionCondition {
        private static final Pattern CASE = Pattern.compile("\\[test-template-invocation:#(\\d+)]$");
        private static final boolean ALL =
                System.getProperty("overdrive.cases", "all").equals("all");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            Matcher matcher = CASE.matcher(context.getUniqueId());
            if (ALL || !matcher.find()) {
                return ConditionEvaluationResult.enabled("not one of several cases, or all of them run");
            }
            int cases = AnnotationSupport.findAnnotation(context.getElement(), OneCaseIn.class)
                    .orElseThrow()
                    .value();
            return (Integer.parseInt(matcher.group(1)) - 1) % cases == 0
                    ? ConditionEvaluationResult.enabled("a case of the normal build")
                    : ConditionEvaluationResult.disabled("left to the nightly tier");
        }
    }
}
