import { spawnSync } from 'node:child_process';
import { afterEach } from 'vitest';
import { startTmux, type TmuxOptions, type TmuxTerminal } from './start-tmux.ts';

export type { TmuxOptions, TmuxTerminal } from './start-tmux.ts';

/** Whether tmux is there; tests of screens are skipped without it. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const open = new Set<TmuxTerminal>();

/** As `startTmux`; what tests leave open is closed after each of them. */
export async function openTmux(options: TmuxOptions = {}): Promise<TmuxTerminal> {
  const terminal = await startTmux(options);
  open.add(terminal);
  return terminal;
}

afterEach(async () => {
  await Promise.all([...open].map((terminal) => terminal.close()));
  open.clear();
});
