import { resolve } from 'node:path';
import { openTmux, type TmuxOptions, type TmuxTerminal } from '../../support/tmux-terminal.ts';

/** The built program. */
export const program = resolve(import.meta.dirname, '../../../dist/syncer.js');

/** Starts `syncer ncdu` with these arguments in a terminal; its exit code is told at the end. */
export async function startNcdu(
  args: readonly string[],
  options: TmuxOptions = {},
): Promise<TmuxTerminal> {
  const terminal = await openTmux(options);
  const words = [process.execPath, program, 'ncdu', ...args].map((word) => `'${word}'`).join(' ');
  await terminal.type(`clear; echo before; ${words}; echo "ended $?"`);
  await terminal.keys('Enter');
  return terminal;
}
