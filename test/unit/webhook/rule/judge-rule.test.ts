import { describe, expect, test } from 'vitest';
import type { HookMatch, Rule } from '../../../../src/webhook/hook.ts';
import {
  explain,
  isMet,
  judge,
  type RuleContext,
  type RuleExplanation,
  type Trace,
} from '../../../../src/webhook/rule/judge-rule.ts';
import { randomFrom } from '../../../support/random-from.ts';

const parameter = (name: string) => ({ source: 'url', name, envName: '', base64Decode: false });
const match = (name: string, more: Partial<HookMatch> = {}): Rule => ({
  match: {
    ...{ type: 'value', value: '1', regex: '', secret: '', ipRange: '' },
    ...{ parameter: parameter(name), ...more },
  },
});
const request = {
  ...{ method: 'GET', remoteAddress: '127.0.0.1:1', headers: new Map(), payload: new Map() },
  ...{
    query: new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
    body: Buffer.alloc(0),
  },
};
const context = { nowMs: 0, softSignatures: false, regexes: new WeakMap(), warn: () => {} };
const explained = (rule: Rule, judging: RuleContext = context) =>
  explain(judge(rule, request, judging), request, (text) => text);
const flat = ({ outcome, what, why, parts }: RuleExplanation): string[] => [
  `${outcome} ${what}${why === undefined ? '' : `: ${why}`}`,
  ...parts.flatMap(flat),
];

describe('an explanation', () => {
  test('names the part that said no, and what was not looked at any more', () => {
    expect(flat(explained({ and: [match('a'), match('b'), match('c')] }))).toEqual([
      'no and',
      'yes value of url "a"',
      'no value of url "b": it is "2", not "1"',
      'skipped value of url "c"',
    ]);
  });

  test('says what is missing, and what cannot be judged', () => {
    const bad = match('b', { type: 'regex', regex: '(' });
    expect(flat(explained({ or: [match('x'), bad, match('a')] }))).toEqual([
      'error or',
      'no value of url "x": the request has no such parameter',
      expect.stringMatching(/^error regex of url "b": error parsing regexp/),
      'skipped value of url "a"',
    ]);
  });

  test('names networks and expressions', () => {
    expect(flat(explained(match('', { type: 'ip-whitelist', ipRange: '10.0.0.0/8' })))).toEqual([
      'no ip-whitelist: 127.0.0.1:1 is in none of the networks "10.0.0.0/8"',
    ]);
    expect(flat(explained(match('a', { type: 'regex', regex: '^x' })))).toEqual([
      'no regex of url "a": it is "1", which "^x" does not match',
    ]);
  });
});

const signature = match('a', { type: 'payload-hmac-sha1', secret: 'k' });

describe('a rule is judged', () => {
  test.each<[string, Rule, Trace['outcome']]>([
    ['a match', match('a'), 'yes'],
    ['no match', match('b'), 'no'],
    ['nothing there', match('x'), 'missing'],
    ['not', { not: match('b') }, 'yes'],
    ['not of what matches', { not: match('a') }, 'no'],
    ['not of an and with a gap', { not: { and: [match('a'), match('x')] } }, 'missing'],
    ['not of an or with a gap', { not: { or: [match('x'), match('b')] } }, 'missing'],
    ['not of an or with a gap that is met', { not: { or: [match('x'), match('a')] } }, 'no'],
    ['an or of a gap and a not', { or: [{ not: match('x') }, { not: match('b') }] }, 'yes'],
    ['an or with a gap', { or: [match('x')] }, 'no'],
    ['an empty rule', {}, 'no'],
    ['an empty and', { and: [] }, 'yes'],
    ['an empty or', { or: [] }, 'no'],
    ['a wrong signature', signature, 'error'],
    ['a wrong signature in or', { or: [signature, match('a')] }, 'error'],
    ['an unknown type', match('a', { type: 'nope' }), 'no'],
  ])('%s', (_, rule, outcome) => {
    expect(judge(rule, request, context).outcome).toBe(outcome);
  });
});

describe('with soft failures of signatures', () => {
  const soft = { ...context, softSignatures: true };

  test('not of a wrong signature in an or triggers nothing, and the explanation says so', () => {
    const rule = { or: [{ not: signature }] };
    expect(isMet(judge(rule, request, soft))).toBe(false);
    expect(flat(explained(rule, soft))).toEqual([
      'no or',
      'no not: a wrong signature triggers nothing',
      'no payload-hmac-sha1 of url "a": the signature is wrong',
    ]);
  });

  test('a wrong signature outside an or is an error in the explanation, too', () => {
    expect(flat(explained({ and: [signature, match('a')] }, soft))).toEqual([
      'error and',
      'error payload-hmac-sha1 of url "a": the signature is wrong',
      'skipped value of url "a"',
    ]);
  });
});

/** Rules of webhook 2.8.0 as Go has them, with errors for what is missing or wrong. */
function modelled(rule: Rule, isSoft: boolean, belowNot = false): boolean {
  const { and, or, not, match: { value, type, parameter: { name = '' } = {} } = {} } = rule;
  if (and !== undefined) return and.every((part) => modelled(part, isSoft, belowNot));
  if (or !== undefined) {
    let missing: unknown;
    for (const part of or) {
      try {
        if (modelled(part, isSoft, belowNot)) return true;
      } catch (thrown) {
        const { message } = thrown as Error;
        if (message === 'missing') missing = thrown;
        else if (message !== 'wrong' || !isSoft) throw thrown;
      }
    }
    // A missing parameter below a `not` triggers nothing: docs/webhook.md, "Differences".
    if (missing !== undefined && belowNot) throw missing;
    return false;
  }
  if (not !== undefined) return !modelled(not, isSoft, true);
  if (type === undefined) return false;
  if (name === 'x') throw new Error('missing');
  if (type === 'regex') throw new Error('bad');
  if (type !== 'value') throw new Error('wrong');
  return name === 'a' && value === '1';
}

const OPPOSITE = new Map([
  ['yes', 'no'],
  ['no', 'yes'],
  ['error', 'error'],
]);

/** Whether each part of an explanation follows from those below it. */
function isSound({ outcome, what, why, parts }: RuleExplanation): boolean {
  const outcomes = parts.map((part) => part.outcome).filter((one) => one !== 'skipped');
  const last = outcomes.pop();
  const goesOn = { and: 'yes', or: 'no' }[what];
  if (what === 'not' && why === undefined && outcome !== OPPOSITE.get(last ?? '')) return false;
  if (what === 'not' && why !== undefined && outcome !== 'no') return false;
  if (goesOn !== undefined && outcome !== (last ?? goesOn)) return false;
  if (outcomes.some((one) => one !== goesOn)) return false;
  return parts.every((part) => part.outcome === 'skipped' || isSound(part));
}

test.each([false, true])(
  '20,000 random rules are judged as modelled and explained as judged, soft failures: %s',
  (softSignatures) => {
    const random = randomFrom(91);
    const judging = { ...context, softSignatures };
    const leaves = [
      ...[match('a'), match('b'), match('x'), {}, signature],
      match('b', { type: 'regex', regex: '(' }),
    ];
    const ruleOf = (depth: number): Rule => {
      const shape = depth === 0 ? 3 : random(4);
      const parts = () => Array.from({ length: random(4) }, () => ruleOf(depth - 1));
      if (shape === 0) return { and: parts() };
      if (shape === 1) return { or: parts() };
      if (shape === 2) return { not: ruleOf(depth - 1) };
      return leaves[random(leaves.length)] ?? {};
    };
    for (let count = 0; count < 20_000; count++) {
      const rule = ruleOf(4);
      let expected: string;
      try {
        expected = modelled(rule, softSignatures) ? 'yes' : 'no';
      } catch (thrown) {
        expected = (thrown as Error).message === 'missing' ? 'no' : 'error';
      }
      const trace = judge(rule, request, judging);
      const found = explain(trace, request, (text) => text);
      const judged = isMet(trace) ? 'yes' : trace.outcome === 'error' ? 'error' : 'no';
      const isRight = judged === expected && found.outcome === expected && isSound(found);
      if (!isRight) expect({ rule, judged, found }).toBe(expected);
    }
  },
);

test.each<[string, Rule]>([
  ['a match', match('x')],
  ['an or', { or: [match('x'), match('b')] }],
  ['an or in an or', { or: [match('b'), { or: [match('x')] }] }],
  ['an and', { and: [match('a'), match('x')] }],
  ['a signature of Scalr', match('', { type: 'scalr-signature', secret: 'k' })],
])('not of %s with a missing parameter triggers nothing', (_, rule) => {
  expect(judge({ not: rule }, request, context).outcome).toBe('missing');
});

test('a request hides its secrets in an explanation, and no words of the server', () => {
  const hide = (text: string) => text.replaceAll(/SECRET|it is|127\.0\.0\.1|in none/g, '***');
  const why = (rule: Rule, asked = request) =>
    explain(judge(rule, asked, context), asked, hide).why;
  expect(why(match('a', { value: 'SECRET' }))).toBe('it is "1", not "***"');
  expect(why(match('a', { type: 'regex', regex: 'SECRET' }))).toMatch(/^it is "1", which "\*\*\*"/);
  const bad = why(match('a', { type: 'regex', regex: '(SECRET' }));
  expect(bad).toMatch(/^error parsing regexp: .*\*\*\*/);
  expect(bad).not.toContain('SECRET');
  expect(why(match('', { type: 'ip-whitelist', ipRange: '10.0.0.0/8' }))).toMatch(
    /^127.0.0.1:1 is/,
  );
  const query = new Map([['pin', '1']]);
  const rule = match('pin', { value: 'SECRET' });
  expect(why(rule, { ...request, query })).toBe('it does not match');
});
