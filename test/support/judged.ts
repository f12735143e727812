import { memoryRemote } from '../../src/backends/memory/memory-remote.ts';
import type { Verb } from '../../src/engine/action.ts';
import type { RuleGround } from '../../src/engine/file-work.ts';
import {
  type CheckBy,
  checkRules,
  differenceOf,
  isWithoutHash,
} from '../../src/engine/rules/check-rules.ts';
import { planRules } from '../../src/engine/rules/list.ts';
import type { CommonGround, Facts, FileRule, PairFacts } from '../../src/engine/rules/rule.ts';
import type { CompareOptions } from '../../src/engine/sync-option-parts.ts';
import { plainOptions } from './memory-world.ts';

/** What rules that only look at facts never ask. */
const nowhere = {
  passes: [],
  source: memoryRemote(),
  dest: memoryRemote(),
} as unknown as RuleGround;

/** What the rules of these options say about a file: its verdict, or what they need first. */
export function judged(
  facts: Facts,
  options: Partial<CompareOptions>,
  ground: CommonGround,
  verb: Verb = 'copy',
  moreRules: readonly FileRule[] = [],
) {
  const all = { ...plainOptions, ...options };
  return planRules({ ...nowhere, verb, options: all, ground, moreRules }).judge(facts);
}

/** The same in one word: `keep`, or `needs hashes`. */
export function judgedAs(...asked: Parameters<typeof judged>): string {
  const verdict = judged(...asked);
  return 'needs' in verdict ? `needs ${verdict.needs}` : verdict.do;
}

/** What a check says about a file that both sides have, in one word. */
export function checkedAs(facts: PairFacts, by: CheckBy, ground: CommonGround): string {
  const readContents = async () => true;
  const verdict = checkRules({ by, ground, readContents }).judge(facts);
  if ('needs' in verdict) return `needs ${verdict.needs}`;
  return differenceOf(verdict) ?? (isWithoutHash(verdict) ? 'equal without hash' : 'equal');
}
