import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts a program whose standard input stays open, sends it SIGUSR1 fifty times from the first moment on, and then
 * ends it. Resolves to what it wrote to standard error. The signal is ignored until the program itself changes that:
 * nothing else can keep the system from ending a process that has not begun.
 */
export async function errorsOfUsr1AtStart(...words: readonly string[]): Promise<string> {
  const child = spawn('sh', ['-c', 'trap \'\' USR1; echo >&3; exec "$@"', 'sh', ...words], {
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  });
  const { stderr, stdio } = child;
  if (stderr === null || stdio[3] == null) throw new Error('no pipes');
  const errors = text(stderr);
  const closed = once(child, 'close');
  await once(stdio[3], 'readable');
  for (let sent = 0; sent < 50; sent++) {
    child.kill('SIGUSR1');
    await sleep(10);
  }
  child.kill('SIGKILL');
  stdio[3].destroy();
  await closed;
  return errors;
}
