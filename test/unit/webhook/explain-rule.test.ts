import { describe, expect, test } from 'vitest';
import type { HookMatch, Rule } from '../../../src/webhook/file/hook.ts';
import { NotFoundFault } from '../../../src/webhook/parameter/parameter-value.ts';
import {
  evaluateRule,
  explainRule,
  type RuleExplanation,
} from '../../../src/webhook/rule/evaluate-rule.ts';

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
const explain = (rule: Rule) => explainRule(rule, request, context, (text) => text);
const flat = ({ outcome, what, why, parts }: RuleExplanation): string[] => [
  `${outcome} ${what}${why === undefined ? '' : `: ${why}`}`,
  ...parts.flatMap(flat),
];

describe('an explanation', () => {
  test('names the part that said no, and what was not looked at any more', () => {
    expect(flat(explain({ and: [match('a'), match('b'), match('c')] }))).toEqual([
      'no and',
      'yes value of url "a"',
      'no value of url "b": it is "2", not "1"',
      'skipped value of url "c"',
    ]);
  });

  test('says what is missing, and what cannot be judged', () => {
    const bad = match('b', { type: 'regex', regex: '(' });
    expect(flat(explain({ or: [match('x'), bad, match('a')] }))).toEqual([
      'error or',
      'no value of url "x": the request has no such parameter',
      expect.stringMatching(/^error regex of url "b": error parsing regexp/),
      'skipped value of url "a"',
    ]);
  });

  test('tells networks and expressions', () => {
    expect(flat(explain(match('', { type: 'ip-whitelist', ipRange: '10.0.0.0/8' })))).toEqual([
      'no ip-whitelist: 127.0.0.1:1 is in none of the networks "10.0.0.0/8"',
    ]);
    expect(flat(explain(match('a', { type: 'regex', regex: '^x' })))).toEqual([
      'no regex of url "a": it is "1", which "^x" does not match',
    ]);
  });
});

describe('an explanation comes to what the judgement comes to', () => {
  const signature = match('a', { type: 'payload-hmac-sha1', secret: 'k' });
  test.each<[string, Rule]>([
    ['a match', match('a')],
    ['no match', match('b')],
    ['nothing there', match('x')],
    ['not', { not: match('b') }],
    ['not of what matches', { not: match('a') }],
    ['not of what is missing', { not: match('x') }],
    ['not of an and with a gap', { not: { and: [match('a'), match('x')] } }],
    ['not of an or with a gap', { not: { or: [match('x'), match('b')] } }],
    ['not of an or with a gap, and one that is met', { not: { or: [match('x'), match('a')] } }],
    ['not of an or with an and with a gap', { not: { or: [{ and: [match('a'), match('x')] }] } }],
    ['an or of a gap and a not', { or: [{ not: match('x') }, { not: match('b') }] }],
    ['a signature of Scalr', match('', { type: 'scalr-signature', secret: 'k' })],
    ['not of it', { not: match('', { type: 'scalr-signature', secret: 'k' }) }],
    ['an empty rule', {}],
    ['an empty and', { and: [] }],
    ['an empty or', { or: [] }],
    ['an or of two', { or: [match('x'), match('a')] }],
    ['a signature', signature],
    ['a signature in or', { or: [signature, match('a')] }],
    ['an unknown type', match('a', { type: 'nope' })],
  ])('%s', (_, rule) => {
    let judged: string;
    try {
      judged = evaluateRule(rule, request, context) ? 'yes' : 'no';
    } catch (thrown) {
      judged = (thrown as Error).message.startsWith('parameter node not found') ? 'no' : 'error';
    }
    expect(explain(rule).outcome).toBe(judged);
  });
});

test.each<[string, Rule]>([
  ['a match', match('x')],
  ['an or', { or: [match('x'), match('b')] }],
  ['an or in an or', { or: [match('b'), { or: [match('x')] }] }],
  ['an and', { and: [match('a'), match('x')] }],
  ['a signature of Scalr', match('', { type: 'scalr-signature', secret: 'k' })],
])('not of %s with a missing parameter triggers nothing', (_, rule) => {
  expect(() => evaluateRule({ not: rule }, request, context)).toThrow(NotFoundFault);
});

test('a request hides its secrets in an explanation, and no words of the server', () => {
  const hide = (text: string) => text.replaceAll(/SECRET|it is|127\.0\.0\.1|in none/g, '***');
  const why = (rule: Rule) => explainRule(rule, request, context, hide).why;
  expect(why(match('a', { value: 'SECRET' }))).toBe('it is "1", not "***"');
  expect(why(match('a', { type: 'regex', regex: 'SECRET' }))).toMatch(/^it is "1", which "\*\*\*"/);
  expect(why(match('', { type: 'ip-whitelist', ipRange: '10.0.0.0/8' }))).toMatch(
    /^127.0.0.1:1 is/,
  );
  const query = new Map([['pin', '1']]);
  const rule = match('pin', { value: 'SECRET' });
  expect(explainRule(rule, { ...request, query }, context, hide).why).toBe('it does not match');
});
