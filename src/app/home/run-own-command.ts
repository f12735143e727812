import { createInterface } from 'node:readline';
import { harmless } from '../../core/harmless.ts';
import { shellLine } from '../../home/home-actions.ts';
import type { HomeCommand } from '../../home/home-entry.ts';
import type { Invocation } from '../command.ts';
import { ownCommand } from '../process/own-command-line.ts';
import { runInTerminal } from '../process/run-in-terminal.ts';
import { holdInterrupts } from '../process/signals.ts';

/**
 * Runs syncer with the words of a command on this terminal and waits for its end. The command line is shown first, so
 * that it can be learnt; afterwards Enter goes back, where there is something to read. Where the program is asked to
 * end, the command is asked too; rejects with the reason when that has ended.
 */
export async function runOwnCommand(
  { words, hasScreen, dir }: HomeCommand,
  { context: { signal } }: Pick<Invocation, 'context'>,
): Promise<void> {
  const [file, ...before] = ownCommand();
  if (!hasScreen) process.stdout.write(`$ ${harmless(shellLine(words))}\n`);
  const releaseInterrupts = holdInterrupts();
  try {
    const ended = await runInTerminal({ file, args: [...before, ...words], cwd: dir }, signal);
    signal.throwIfAborted();
    if (hasScreen && ended === '') return;
    await enter(ended === '' ? 'Done.' : ended, signal);
  } finally {
    releaseInterrupts();
  }
}

function enter(text: string, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    let isAnswered = false;
    lines
      .on('SIGINT', () => lines.close())
      .on('close', () => {
        // What is drawn next begins where the cursor is.
        if (!isAnswered) process.stdout.write('\n');
        resolve();
      });
    signal.addEventListener('abort', () => lines.close(), { once: true });
    lines.question(`${harmless(text)} Press Enter to go back. `, () => {
      isAnswered = true;
      lines.close();
    });
  });
}
