import { EventEmitter, once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { runWebhook } from '../../../../src/webhook/start/run-webhook.ts';

test('a number that a flag cannot hold ends the start with one line', async () => {
  const write = vi.fn();
  const fake = { stderr: { write }, stdout: { write } } as unknown as NodeJS.Process;
  expect(await runWebhook(['-idle-timeout', '-1'], fake)).toBe(2);
  expect(write.mock.calls).toEqual([
    ['invalid value "-1" for flag -idle-timeout: must not be negative\n'],
  ]);
});

test.each([
  ['SIGTERM', 0],
  ['SIGQUIT', 2],
] as const)(
  '%s ends the server with a code, and leaves the end of the process to the program',
  async (signal, code) => {
    const signals = new EventEmitter();
    const exit = vi.fn();
    const write = vi.fn();
    const fake = Object.assign(signals, { env: {}, stdout: { write }, stderr: { write }, exit });
    const listens = once(signals, 'newListener');
    const argv = ['-nopanic', '-ip', '127.0.0.1', '-port', '0', '-hooks', '/dev/null'];
    const run = runWebhook(argv, fake as unknown as NodeJS.Process);
    await listens;
    await new Promise(setImmediate);
    signals.emit(signal);
    expect(await run).toBe(code);
    expect(exit).not.toHaveBeenCalled();
  },
);
