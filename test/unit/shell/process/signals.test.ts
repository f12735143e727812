import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { listenForSignals } from '../../../../src/shell/process/signals.ts';

function fakeProcess() {
  const exits: number[] = [];
  const sent: unknown[] = [];
  const process = Object.assign(new EventEmitter(), {
    pid: 7,
    kill: (...args: unknown[]) => void sent.push(args),
  });
  return { process, exits, sent, exit: (code: number) => void exits.push(code) };
}

test.each([
  ['SIGINT', 'interrupted', 130],
  ['SIGTERM', 'terminated', 143],
])('%s asks the run to end, and ends it the second time', (name, code, number) => {
  const { process, exits, exit } = fakeProcess();
  const signal = listenForSignals(process, exit, () => false);
  expect(signal.aborted).toBe(false);
  process.emit(name);
  expect(signal.reason).toMatchObject({ code, exit: number });
  expect(exits).toEqual([]);
  process.emit(name);
  expect(exits).toEqual([number]);
});

test('a hangup asks it to end as well, however often it comes, and counts for nothing else', () => {
  const { process, exits, exit } = fakeProcess();
  const signal = listenForSignals(process, exit, () => false);
  process.emit('SIGHUP');
  expect(signal.reason).toMatchObject({ code: 'terminated', exit: 143 });
  process.emit('SIGHUP');
  process.emit('SIGTERM');
  expect(exits).toEqual([]);
  process.emit('SIGTERM');
  expect(exits).toEqual([143]);
  expect(signal.reason).toMatchObject({ message: 'stopped: the terminal was closed' });
});

test('a hangup does not concern what was started by nohup', () => {
  const { process, exits, exit } = fakeProcess();
  const signal = listenForSignals(process, exit, () => true);
  process.emit('SIGHUP');
  process.emit('SIGHUP');
  expect(signal.aborted).toBe(false);
  expect(exits).toEqual([]);
  expect(process.listenerCount('SIGHUP')).toBe(1);
});

test('after a stop the size of the terminal is read again', () => {
  const { process, sent, exit } = fakeProcess();
  listenForSignals(process, exit, () => false);
  process.emit('SIGCONT');
  expect(sent).toEqual([[7, 'SIGWINCH']]);
});

test.each(['SIGUSR1', 'SIGUSR2'])('%s neither ends the process nor asks it to end', (name) => {
  const { process, exits, exit } = fakeProcess();
  const signal = listenForSignals(process, exit, () => false);
  expect(process.listenerCount(name)).toBe(1);
  process.emit(name);
  expect([signal.aborted, exits]).toEqual([false, []]);
});
