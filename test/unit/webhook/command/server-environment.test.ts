import { expect, test } from 'vitest';
import {
  ServerEnvironment,
  serverEnvironment,
} from '../../../../src/webhook/command/server-environment.ts';

test('of equal names the last counts, and what systemd says to the server stays with it', () => {
  const env = new ServerEnvironment(['A=1', 'PATH=/bin', 'LISTEN_FDS=1', 'A=2', 'B==x=']);
  expect(env.with([])).toEqual(['PATH=/bin', 'A=2', 'B==x=']);
  expect(env.with(['PATH=/x', 'C='])).toEqual(['A=2', 'B==x=', 'PATH=/x', 'C=']);
  expect(env).toMatchObject({ searchPath: '/bin', temporary: '/tmp' });
});

test('bytes that are not UTF-8 come from where they are told', () => {
  const bytes = Buffer.concat([Buffer.from('A=x'), Buffer.of(0xff), Buffer.from('\0B=1\0')]);
  const env = serverEnvironment({ A: 'x\ufffd', B: '1' }, () => bytes);
  expect(env.with([])).toEqual(['A=x\udcff', 'B=1']);
  const unread = serverEnvironment({ A: 'x\ufffd' }, () => {
    throw new Error('not here');
  });
  expect(unread.with([])).toEqual(['A=x\ufffd']);
});
