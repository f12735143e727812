import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkHmac } from '../../../src/webhook/rule/check-signature.ts';

const BODY = Buffer.from('body');
const GOOD = createHmac('sha256', 'k').update(BODY).digest('hex');
const BAD = GOOD.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
const check = (text: string) => checkHmac('sha256', 'k', BODY, text);

test.each([GOOD, `sha256=${GOOD}`, `sha256=${BAD},sha256=${GOOD}`, `t=1,sha256=${GOOD}`])(
  'a signature of the body is found in %s',
  (text) => expect(() => check(text)).not.toThrow(),
);

test.each(['', ',', 't=1,v=2', BAD, `sha256=${BAD}`, `${GOOD},${GOOD}`, `sha1=${GOOD}`])(
  'no signature of the body is in "%s"',
  (text) => expect(() => check(text)).toThrow(/^invalid payload signatures/),
);
