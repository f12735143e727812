import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NIL_MAP } from '../../../../src/go/go-value.ts';
import { explain, judge } from '../../../../src/webhook/rule/judge-rule.ts';
import { matchOf } from '../../../support/random-rules.ts';

const SECRET = 'whsec_key';
const BODY = 'text=publish&user_id=U1';
const NOW = 1_800_000_000;

const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');
const slack = (time: number | string, body = BODY) => ({
  'X-Slack-Request-Timestamp': String(time),
  'X-Slack-Signature': `v0=${hmac(`v0:${time}:${body}`)}`,
});
const stripe = (time: number | string, body = BODY) => ({
  'Stripe-Signature': `t=${time},v1=${hmac(`${time}.${body}`)},v0=${'0'.repeat(64)}`,
});

/** What comes of a request with these headers, and why. */
function judged(type: string, headers: Readonly<Record<string, string>>, secret = SECRET): string {
  const request = {
    ...{ method: 'POST', remoteAddress: '', query: NIL_MAP, payload: NIL_MAP },
    ...{ headers: new Map(Object.entries(headers)), body: Buffer.from(BODY) },
  };
  const context = { softSignatures: false, regexes: new WeakMap(), warn: () => {} };
  const rule = matchOf('', { type, value: '', secret });
  const trace = judge(rule, request, { ...context, nowMs: NOW * 1000 });
  return `${trace.outcome}: ${explain(trace, (text) => text).why ?? ''}`;
}

const OLD = 'error: the request is more than five minutes old or early';
const WRONG = 'error: the signature is wrong';
const MISSING = 'missing: the request has no such parameter';

describe.each([
  ['slack-signature', slack],
  ['stripe-signature', stripe],
] as const)('%s', (type, sign) => {
  test('lets in a signed request for five minutes', () => {
    expect(judged(type, sign(NOW))).toBe('yes: ');
    expect(judged(type, sign(NOW - 300))).toBe('yes: ');
    expect(judged(type, sign(NOW + 300))).toBe('yes: ');
  });

  test('refuses a request that is older, or of a time to come', () => {
    expect(judged(type, sign(NOW - 301))).toBe(OLD);
    expect(judged(type, sign(NOW + 301))).toBe(OLD);
  });

  test.each(['', 'now', '0x6B49D200', '1e9', `-${NOW}`, `${NOW}.5`, '9'.repeat(30)])(
    'refuses the time "%s", even if it is signed',
    (time) => expect(judged(type, sign(time))).toBe(OLD),
  );

  test('refuses the signature of another body, another time or another key', () => {
    expect(judged(type, sign(NOW, `${BODY}!`))).toBe(WRONG);
    const later = Object.entries(sign(NOW - 400)).map(([name, value]) => {
      return [name, value.replace(String(NOW - 400), String(NOW))] as const;
    });
    expect(judged(type, Object.fromEntries(later))).toBe(WRONG);
    expect(judged(type, sign(NOW), 'whsec_other')).toBe(WRONG);
  });

  test('refuses a request without its headers, and every one without a secret', () => {
    for (const name of Object.keys(sign(NOW))) {
      const others = Object.entries(sign(NOW)).filter(([other]) => other !== name);
      expect(judged(type, Object.fromEntries(others))).toBe(MISSING);
    }
    const signed = createHmac('sha256', '').update(`v0:${NOW}:${BODY}`).digest('hex');
    const headers = { ...sign(NOW), 'X-Slack-Signature': `v0=${signed}` };
    expect(judged(type, headers, '')).toBe('error: signature validation secret can not be empty');
  });
});

test('one of the signatures of Stripe is enough, and v0 is none', () => {
  const right = hmac(`${NOW}.${BODY}`);
  const header = (value: string) => judged('stripe-signature', { 'Stripe-Signature': value });
  expect(header(`t=${NOW},v1=${'0'.repeat(64)},v1=${right}`)).toBe('yes: ');
  expect(header(`t=${NOW},v0=${right}`)).toBe(WRONG);
  expect(header(`t=${NOW}`)).toBe(WRONG);
  expect(header(`v1=${right}`)).toBe(WRONG);
  expect(header(right)).toBe(WRONG);
});

test('a signature of Slack has v0= in front', () => {
  const headers = slack(NOW);
  const bare = { ...headers, 'X-Slack-Signature': headers['X-Slack-Signature'].slice(3) };
  expect(judged('slack-signature', bare)).toBe(WRONG);
});
