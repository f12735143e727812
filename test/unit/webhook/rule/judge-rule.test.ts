import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../../src/webhook/hook.ts';
import {
  explain,
  isMet,
  judge,
  type RuleContext,
  type RuleExplanation,
  type Trace,
} from '../../../../src/webhook/rule/judge-rule.ts';
import { matchOf as match, WRONG_SIGNATURE as signature } from '../../../support/random-rules.ts';

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
  explain(judge(rule, request, judging), (text) => text);
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
  const why = (rule: Rule, asked = request) => explain(judge(rule, asked, context), hide).why;
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
