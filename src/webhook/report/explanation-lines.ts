import type { RuleExplanation } from '../rule/explain-rule.ts';

const MARKS = { yes: 'yes', no: 'no', error: 'error', skipped: '-' } as const;

/** Why a rule said what it said: each part in a line, indented below what it belongs to. */
export function explanationLines(explanation: RuleExplanation, depth = 0): string[] {
  const { outcome, what, why, parts } = explanation;
  const reason = why === undefined ? '' : `: ${why}`;
  const line = `${'  '.repeat(depth)}${MARKS[outcome].padEnd(5)} ${what}${reason}`;
  return [line, ...parts.flatMap((part) => explanationLines(part, depth + 1))];
}

/** The part that decided: the first below all others that says the same as the whole. */
function decidingPart(explanation: RuleExplanation): RuleExplanation {
  const part = explanation.parts.find(({ outcome }) => outcome === explanation.outcome);
  return part === undefined ? explanation : decidingPart(part);
}

/** Why a request was refused, in a few words. */
export function refusalText(explanation: RuleExplanation): string {
  const { what, why = 'is not satisfied' } = decidingPart(explanation);
  return `${what}: ${why}`;
}
