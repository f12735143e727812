import { expect, test } from 'vitest';
import { ignoresHangUp } from '../../../../src/shell/process/signals.ts';

const STATUS = (ignored: string) => `Name:\tsh\nSigBlk:\t0000000000000000\nSigIgn:\t${ignored}\n`;

/** The files of a process 20 in session 7, with a parent 10. */
const files = {
  'self/fdinfo/0': 'pos:\t0\nflags:\t0100000\nmnt_id:\t25\n',
  'self/stat': '20 (a (odd) name) S 10 20 7 34816 20 4194304',
  '10/status': STATUS('0000000000001000'),
};

const judge = (changed: Readonly<Record<string, string>> = {}, env: NodeJS.ProcessEnv = {}) => {
  const all: Readonly<Record<string, string>> = { ...files, ...changed };
  const readProc = (path: string) => {
    const text = all[path];
    if (text === undefined) throw new Error(`no ${path}`);
    return text;
  };
  return ignoresHangUp(env, readProc);
};

test('nothing tells of nohup: a hangup counts', () => {
  expect(judge()).toBe(false);
  expect(judge({}, { _: '/usr/bin/syncer' })).toBe(false);
  expect(judge({}, { _: '/usr/bin/mynohup' })).toBe(false);
});

test('what the shell noted as the command is nohup', () => {
  expect(judge({}, { _: '/usr/bin/nohup' })).toBe(true);
  expect(judge({}, { _: 'nohup' })).toBe(true);
});

test('nohup gives a program on a terminal an input that cannot be read', () => {
  expect(judge({ 'self/fdinfo/0': 'pos:\t0\nflags:\t0100001\n' })).toBe(true);
  expect(judge({ 'self/fdinfo/0': 'pos:\t0\nflags:\t0100002\n' })).toBe(false);
});

test('the parent ignores it, and we are in its session', () => {
  const ignoring = { '10/status': STATUS('0000000000000001') };
  expect(judge(ignoring)).toBe(true);
  const leader = { 'self/stat': '20 (syncer) S 10 20 20 34816 20 4194304' };
  expect(judge({ ...ignoring, ...leader })).toBe(false);
});

test('without /proc only the shell tells', () => {
  const readProc = () => {
    throw new Error('no such file');
  };
  expect(ignoresHangUp({}, readProc)).toBe(false);
  expect(ignoresHangUp({ _: 'nohup' }, readProc)).toBe(true);
});
