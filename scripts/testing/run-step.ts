import { spawn } from 'node:child_process';

/** What a step is given besides its arguments. */
interface StepOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Aborting it ends the program. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a program to its end, its output on ours, nothing on its standard input.
 *
 * @returns whether it ended with exit code 0
 */
export function runStep(
  command: string,
  args: readonly string[],
  options: StepOptions = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
    let ok = true;
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      ok = false;
      if (child.pid === undefined) resolve(false);
    });
    child.on('exit', (code) => resolve(ok && code === 0));
  });
}
