import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ProcessEnd, runProcess } from '../../../../src/webhook/command/run-process.ts';

const PLAN = {
  ...{ path: '/bin/true', argv: ['true'], env: [], workingDirectory: '', shown: 'true' },
  ...{ ownGroup: true, outputUnwanted: false, timeoutMs: 100, onOutput: () => undefined },
};

test('a timeout spares a group of another process with the number of the ended command', async () => {
  const other = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  const gone = once(other, 'exit');
  onTestFinished(async () => {
    other.kill('SIGKILL');
    await gone;
  });
  await once(other, 'spawn');
  const kill = vi.spyOn(process, 'kill');
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    kill.mockRestore();
  });
  const ended = Promise.resolve<ProcessEnd>({ code: 0, signal: null });
  const run = runProcess(PLAN, {
    start: async () => ({ pid: other.pid ?? 0, outputs: [new PassThrough()], ended }),
    backlog: 0,
    room: () => undefined,
  });
  await vi.runAllTimersAsync();
  expect(await run).toBe('timed out after 0.1s: ended');
  expect(kill.mock.calls.filter(([, signal]) => signal !== 0)).toEqual([]);
});
