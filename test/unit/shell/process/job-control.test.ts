import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { jobControl } from '../../../../src/shell/process/job-control.ts';

/** A process that is none, and what it was sent. */
function fakeProcess() {
  const sent: string[] = [];
  const kill = (_: number, signal: string) => sent.push(signal);
  const process = Object.assign(new EventEmitter(), { pid: 1, kill });
  return { process, sent, job: jobControl(process as never) };
}

test.each(['SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGXCPU', 'SIGPWR'])(
  'a job that %s ends restores the terminal before, and then ends by it',
  (signal) => {
    const { process, sent, job } = fakeProcess();
    let restored = 0;
    job.atExit(() => restored++);
    process.emit(signal, signal);
    expect([restored, sent, process.listenerCount(signal)]).toEqual([1, [signal], 0]);
  },
);

test('a signal that does not end the job leaves the terminal alone', () => {
  const { process, sent, job } = fakeProcess();
  let restored = 0;
  process.on('SIGUSR2', () => {});
  const stop = job.atExit(() => restored++);
  process.emit('SIGUSR2', 'SIGUSR2');
  expect([restored, sent]).toEqual([0, []]);
  stop();
  expect([process.listenerCount('SIGUSR2'), process.listenerCount('exit')]).toEqual([1, 0]);
});
