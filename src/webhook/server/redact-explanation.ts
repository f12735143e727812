import type { Redact } from '../log/redact.ts';
import type { RuleExplanation } from '../rule/explain-rule.ts';

/** Where both sides of a comparison are secret there is nothing to show. */
const BOTH_HIDDEN = 'it is "***", not "***"';

/** Hides secrets in an explanation. */
export function redactExplanation(
  { why, parts, ...other }: RuleExplanation,
  redact: Redact,
): RuleExplanation {
  const shown = parts.map((part) => redactExplanation(part, redact));
  if (why === undefined) return { ...other, parts: shown };
  const told = redact(why);
  return {
    ...other,
    why: told === BOTH_HIDDEN ? 'it is not what the rule wants' : told,
    parts: shown,
  };
}
