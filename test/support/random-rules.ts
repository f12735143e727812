import type { HookMatch, Rule } from '../../src/webhook/hook.ts';
import { randomFrom } from './random-from.ts';

/** A query that random rules are about: `a` is 1, `b` is 2, and `x` is missing. */
export const QUERY = 'a=1&b=2';

/** A condition on a parameter of the query. */
export const matchOf = (name: string, more: Partial<HookMatch> = {}): Rule => ({
  match: {
    ...{ type: 'value', value: '1', regex: '', secret: '', ipRange: '' },
    parameter: { source: 'url', name, envName: '', base64Decode: false },
    ...more,
  },
});

/** A signature that is wrong in each request with `QUERY`. */
export const WRONG_SIGNATURE = matchOf('a', { type: 'payload-hmac-sha1', value: '', secret: 'k' });

const CONDITIONS: readonly Rule[] = [
  ...[matchOf('a'), matchOf('b'), matchOf('x'), {}, WRONG_SIGNATURE],
  matchOf('b', { type: 'regex', regex: '(' }),
];

/** Random rules of up to five levels, the same for the same seed. */
export function* randomRules(seed: number, count: number): Generator<Rule> {
  const random = randomFrom(seed);
  const ruleOf = (depth: number): Rule => {
    const shape = depth === 0 ? 3 : random(4);
    const parts = () => Array.from({ length: random(4) }, () => ruleOf(depth - 1));
    if (shape === 0) return { and: parts() };
    if (shape === 1) return { or: parts() };
    if (shape === 2) return { not: ruleOf(depth - 1) };
    return CONDITIONS[random(CONDITIONS.length)] ?? {};
  };
  for (let index = 0; index < count; index++) yield ruleOf(4);
}
