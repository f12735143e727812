import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { NIL_MAP } from '../../../src/go/go-value.ts';
import { checkScalr } from '../../../src/webhook/rule/check-signature.ts';

const NOW = Date.UTC(2017, 8, 8, 11, 24, 32);

function check(date: string): void {
  const body = Buffer.from('{}');
  const signature = createHmac('sha1', 'k').update(body).update(date).digest('hex');
  const headers = new Map([
    ['X-Signature', signature],
    ['Date', date],
  ]);
  const none = { method: 'POST', remoteAddress: '', query: NIL_MAP, payload: NIL_MAP };
  checkScalr({ ...none, headers, body }, 'k', NOW);
}

test.each([
  'Fri 08 Sep 2017 11:24:32 UTC',
  'fri 08 SEP 2017 11:24:32 UTC',
  'Fri  08 Sep 2017 11:24:32  UTC',
  'Fri 08 Sep 2017 11:24:32.25 UTC',
  'Fri 08 Sep 2017 11:24:32,5 UTC',
  'Fri 08 Sep 2017 11:24:32 +0000',
  'Fri 08 Sep 2017 11:24:32 -23',
  'Fri 08 Sep 2017 11:24:32 GMT+1',
  'Fri 08 Sep 2017 11:24:32 CEST',
  'Fri 08 Sep 2017 11:24:32 ABCDT',
  'Fri 08 Sep 2017 11:24:32 WITA',
  'Fri 08 Sep 2017 11:24:32 ChST',
])('%s is a date', (date) => expect(() => check(date)).not.toThrow());

test.each([
  'Fri 08 Sep 2017 11:24:32 utc',
  'Fri 08 Sep 2017 11:24:32 +0530',
  'Fri 08 Sep 2017 11:24:32 +24',
  'Fri 08 Sep 2017 11:24:32 ABCD',
  'Fri 08 Sep 2017 11:24:32 AB',
  'Fri 08 Sep 2017 11:24:32. UTC',
  'Fri 08 Sep 2017 11:24:32',
  'Fri 31 Feb 2017 11:24:32 UTC',
  'Fri 08 Sep 2017 24:24:32 UTC',
  'Fri 08 Sep 2017 11:60:32 UTC',
  ' Fri 08 Sep 2017 11:24:32 UTC',
])('%s is none', (date) => expect(() => check(date)).toThrow(/^parsing time /));

test('a date of another time is outdated', () => {
  expect(() => check('Fri 08 Sep 2017 11:30:32 UTC')).toThrow('outdated');
});
