import { harmless } from '../../src/core/shown-text.ts';
import type { HomeCommand } from '../../src/run/home-entry.ts';
import type { CommandCall } from '../../src/shell/command-line/command.ts';
import { ownCommand } from '../../src/shell/process/own-command-line.ts';
import { openRawKeys } from '../../src/shell/process/raw-keys.ts';
import { runInTerminal } from '../../src/shell/process/run-in-terminal.ts';
import { holdInterrupts } from '../../src/shell/process/signals.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { keyName } from '../../src/terminal/key-table.ts';

/**
 * Runs syncer with the words of a command on this terminal and waits for its end. The command line is shown first, so
 * that it can be learnt; afterwards Enter, Esc or q goes back, where there is something to read. Where the program is asked to
 * end, the command is asked too; rejects with the reason when that has ended.
 */
export async function runOwnCommand(
  command: HomeCommand,
  { context: { signal } }: CommandCall,
): Promise<void> {
  const { words, hasScreen } = command;
  if (!hasScreen) process.stdout.write(`$ ${harmless(shellLine(words))}\n`);
  const releaseInterrupts = holdInterrupts();
  try {
    const ended = await ownRun(command, signal);
    if (hasScreen && ended === '') return;
    const text = `${ended === '' ? 'Done.' : ended} Press Enter to go back. `;
    await waitForKey(text, ['Enter', 'Esc', 'q', '^C'], signal);
  } finally {
    releaseInterrupts();
  }
}

/** A command of a tour: shown, run when Enter is pressed. Resolves to `false` if the user leaves the tour instead. */
export async function runAsStep(
  command: HomeCommand,
  { context: { signal } }: CommandCall,
): Promise<boolean> {
  process.stdout.write(`$ ${harmless(shellLine(command.words))}\n`);
  const releaseInterrupts = holdInterrupts();
  try {
    const text = 'Enter runs it, Ctrl-C ends the demo. ';
    if ((await waitForKey(text, ['Enter', '^C'], signal)) !== 'Enter') return false;
    const ended = await ownRun(command, signal);
    if (ended !== '') process.stdout.write(`${harmless(ended)}\n`);
    return true;
  } finally {
    releaseInterrupts();
  }
}

async function ownRun({ words, dir, env }: HomeCommand, signal: AbortSignal): Promise<string> {
  const [file, ...before] = ownCommand();
  const program = { file, args: [...before, ...words], cwd: dir };
  const ended = await runInTerminal({ ...program, ...(env && { env }) }, signal);
  signal.throwIfAborted();
  return ended;
}

/** Waits for one of some keys, and shows none. Resolves to its name; `undefined` if the input or the program ends. */
async function waitForKey(
  text: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { stdin, stdout } = process;
  stdout.write(harmless(text));
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const end = () => resolve(undefined);
  const keys = openRawKeys(
    stdin,
    (marks) => stdout.write(marks),
    (key) => names.includes(keyName(key)) && resolve(keyName(key)),
  );
  stdin.on('end', end).on('error', end);
  signal.addEventListener('abort', end);
  const pressed = await promise;
  signal.removeEventListener('abort', end);
  keys.close();
  stdin.off('end', end).off('error', end);
  // What is drawn next begins where the cursor is.
  stdout.write('\n');
  return pressed;
}
