import { spawn } from 'node:child_process';
import { exactCommand, type ProgramStart } from '../../system/exact-command.ts';
import { isPlainTerminal } from '../../system/plain-terminal.ts';
import { holdInterrupts } from './signals.ts';

/**
 * Ends what a program may leave to the next one, such as an editor that was killed: a scroll region, the modes of
 * cursor keys and keypad for applications, text that is inserted or not wrapped, and the characters for lines (ECMA-48,
 * DECSTBM, DECCKM, DECKPNM, IRM, DECAWM, SCS). The cursor stays in its place.
 */
export const RESET_TERMINAL = '\x1b7\x1b[r\x1b8\x1b[?1l\x1b>\x1b[4l\x1b[?7h\x1b(B\x0f';

/**
 * Runs a program on this terminal and waits for its end; resolves to why it failed, or to `''`. Ctrl-C is the program's
 * until then; where the signal is aborted, the program is asked to end.
 */
export async function runInTerminal(program: ProgramStart, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { file, args, cwd, env } = exactCommand(program);
  const release = holdInterrupts();
  try {
    return await new Promise((resolve) => {
      const child = spawn(file, args, {
        stdio: 'inherit',
        ...(cwd === undefined ? {} : { cwd }),
        ...(env === undefined ? {} : { env }),
      });
      const passOn = () => void child.kill('SIGTERM');
      signal.addEventListener('abort', passOn);
      child.on('error', (error) => resolve(`Cannot start: ${error.message}.`));
      child.on('close', (code, killedBy) => {
        signal.removeEventListener('abort', passOn);
        if (code === 0) resolve('');
        else if (code === 130) resolve('Stopped.');
        else if (killedBy === null) resolve(`Failed, exit code ${code}.`);
        else resolve(`Terminated by ${killedBy}.`);
      });
    });
  } finally {
    release();
    const { stdout, env: own } = process;
    if (stdout.isTTY && !isPlainTerminal(own)) stdout.write(RESET_TERMINAL);
  }
}
