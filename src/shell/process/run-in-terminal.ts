import { spawn } from 'node:child_process';
import { exactCommand, type ProgramStart } from '../../system/exact-command.ts';
import { holdInterrupts } from './signals.ts';

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
  }
}
