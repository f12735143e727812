import type { Redact } from '../log/redact.ts';
import type { RuleExplanation } from '../rule/explain-rule.ts';

/** Hides secrets in an explanation. */
export function redactExplanation(
  { why, parts, ...other }: RuleExplanation,
  redact: Redact,
): RuleExplanation {
  const shown = parts.map((part) => redactExplanation(part, redact));
  return { ...other, ...(why !== undefined && { why: redact(why) }), parts: shown };
}
