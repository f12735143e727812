import type { RuleExplanation } from '../rule/explain-rule.ts';

/** What stands before each part of a rule. */
export type RuleMarks = Readonly<Record<RuleExplanation['outcome'], string>>;

/** For terminals without colours or without the characters. */
export const WORD_MARKS: RuleMarks = { yes: 'yes', no: 'no', error: 'error', skipped: '-' };

/** Why a rule said what it said: each part in a line, indented below what it belongs to. */
export function explanationLines(
  explanation: RuleExplanation,
  depth = 0,
  marks: RuleMarks = WORD_MARKS,
): string[] {
  const { outcome, what, why, parts } = explanation;
  const reason = why === undefined ? '' : `: ${why}`;
  const width = Math.max(...Object.values(marks).map(({ length }) => length));
  const line = `${'  '.repeat(depth)}${marks[outcome].padEnd(width)} ${what}${reason}`;
  return [line, ...parts.flatMap((part) => explanationLines(part, depth + 1, marks))];
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
