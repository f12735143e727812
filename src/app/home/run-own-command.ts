import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { shellLine } from '../../home/home-actions.ts';
import type { HomeCommand } from '../../home/home-entry.ts';
import type { Invocation } from '../command.ts';
import { ownCommand } from '../process/own-command.ts';

/** Flags that say where the configuration is: what is started from here must see the same one. */
const PASSED_FLAGS = ['config', 'password-command', 'cache-dir'] as const;

/**
 * Runs syncer with the words of a command on this terminal and waits for its end. The command line is shown first, so
 * that it can be learnt; afterwards Enter goes back, where there is something to read.
 */
export async function runOwnCommand(command: HomeCommand, invocation: Invocation): Promise<void> {
  const [file, ...before] = ownCommand();
  const passed = PASSED_FLAGS.flatMap((name) => {
    const value = invocation.flags[name];
    return value === undefined || value === '' ? [] : [`--${name}=${value}`];
  });
  const { words, hasScreen, dir } = command;
  if (!hasScreen) process.stdout.write(`$ ${shellLine(words)}\n`);
  const interrupts = holdInterrupts();
  try {
    const ended = await ownRun(file, [...before, ...words, ...passed], dir);
    if (hasScreen && ended === '') return;
    await enter(ended === '' ? 'Done.' : ended, invocation.context.signal);
  } finally {
    interrupts.release();
  }
}

function ownRun(file: string, args: readonly string[], dir: string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      stdio: 'inherit',
      ...(dir === undefined ? {} : { cwd: dir }),
    });
    child.on('error', (error) => resolve(`It could not be started: ${error.message}.`));
    child.on('close', (code, signal) => {
      if (code === 0) resolve('');
      else
        resolve(
          signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`,
        );
    });
  });
}

/** Ctrl-C reaches every program of the terminal: it is meant for the one that was started, not for the screen. */
function holdInterrupts() {
  const listeners = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT');
  const ignore = () => {};
  process.on('SIGINT', ignore);
  return {
    release() {
      process.off('SIGINT', ignore);
      for (const listener of listeners) process.on('SIGINT', listener);
    },
  };
}

function enter(text: string, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    lines.on('close', resolve).on('SIGINT', () => lines.close());
    signal.addEventListener('abort', () => lines.close(), { once: true });
    lines.question(`${text} Enter goes back. `, () => lines.close());
  });
}
