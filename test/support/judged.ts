import { memoryRemote } from '../../src/backends/memory/memory-remote.ts';
import type { Verb } from '../../src/engine/action.ts';
import { planRules, type RuleGround } from '../../src/engine/rules/list.ts';
import type { CommonGround, Facts } from '../../src/engine/rules/rule.ts';
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
) {
  const all = { ...plainOptions, ...options };
  return planRules({ ...nowhere, verb, options: all, ground }).judge(facts);
}

/** The same in one word: `keep`, or `needs hashes`. */
export function judgedAs(...asked: Parameters<typeof judged>): string {
  const verdict = judged(...asked);
  return 'needs' in verdict ? `needs ${verdict.needs}` : verdict.do;
}
