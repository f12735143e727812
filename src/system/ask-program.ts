import { spawn } from 'node:child_process';
import { toSyncerError } from '../core/errors.ts';
import { withoutMark } from '../core/name-bytes.ts';
import { exactCommand } from './exact-command.ts';

/** Kills a program and what it has started, if that has not ended; `pid`: of one that was started as a group. */
export function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** What a program prints. It and what it started are killed if it takes too long or the signal is aborted. */
export function askProgram({
  words,
  text,
  signal,
  longestMs,
  failure,
}: {
  /** The program and its arguments. */
  readonly words: readonly string[];
  /** For its standard input. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** It is killed if it takes longer, in milliseconds. */
  readonly longestMs: number;
  /** The error for a failure of the program, from the reason in words. */
  readonly failure: (why: string) => Error;
}): Promise<string> {
  const [first = '', ...others] = words;
  const { file: program, args } = exactCommand({ file: first, args: others });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const errors: Buffer[] = [];
    let bytes = 0;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const fail = (why: string) => settle(() => reject(failure(why)));
    const abort = () => settle(() => reject(toSyncerError(signal.reason)));
    const timer = setTimeout(() => fail(`no answer after ${longestMs / 1000}s`), longestMs);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      endGroup(child.pid);
      end();
    };
    signal.addEventListener('abort', abort);
    child.on('error', (error) => fail(error.message));
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > 16 * 1024 * 1024) fail('the answer is too long');
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < 16) errors.push(chunk);
    });
    // A program need not read its input.
    child.stdin.on('error', () => {});
    child.on('close', (code, killedBy) => {
      const said = Buffer.concat(errors).toString().trim().split('\n', 1)[0];
      if (code === 0) settle(() => resolve(withoutMark(Buffer.concat(chunks).toString())));
      else fail(said || (code === null ? `killed by ${killedBy}` : `exit status ${code}`));
    });
    if (signal.aborted) abort();
    else child.stdin.end(text);
  });
}
