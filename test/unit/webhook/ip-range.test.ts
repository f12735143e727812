import { expect, test } from 'vitest';
import { isInRange, wrongNetwork } from '../../../src/webhook/rule/judge-rule.ts';

test.each([
  ['127.0.0.1:80', '10.0.0.0/8 127.0.0.1', true],
  ['127.0.0.1:80', '10.0.0.0/8\t127.0.0.2', false],
  ['10.1.2.3:80', '10.9.9.9/8', true],
  ['10.1.2.3:80', '0.0.0.0/0', true],
  ['10.1.2.3:80', '', false],
  ['10.1.2.3:80', '::/0', false],
  ['10.1.2.3:80', '::ffff:10.1.2.3/128', true],
  ['10.1.2.3:80', '::ffff:a01:203/120', true],
  ['10.1.2.3:80', '::ffff:10.1.2.3/64', false],
  ['[::7]:80', '::ffff:10.1.2.3/64', true],
  ['[::ffff:a01:203]:80', '10.0.0.0/8', true],
  ['[2001:db8::1]:80', '2001:db8::/32', true],
  ['[2001:db8::1]:80', '2001:db8::9', true],
  ['[2001:db9::1]:80', '2001:db8::1', false],
  ['[::1]:80', '127.0.0.1 ::1/128', true],
])('%s in %j: %s', (address, range, inside) => expect(isInRange(address, range)).toBe(inside));

test('networks are looked at in order, and a wrong one that is reached is an error', () => {
  expect(isInRange('127.0.0.1:1', '127.0.0.1 bad')).toBe(true);
  expect(() => isInRange('127.0.0.1:1', 'bad 127.0.0.1')).toThrow('invalid CIDR address: bad/32');
  expect(() => isInRange('127.0.0.1:1', '1.2.3.4/33')).toThrow('invalid CIDR address: 1.2.3.4/33');
  expect(wrongNetwork('1.2.3.4 ::1/129')).toBe('::1/129');
  expect(wrongNetwork('1.2.3.4 ::1/128')).toBeUndefined();
});
