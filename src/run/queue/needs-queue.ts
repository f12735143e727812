import { SyncerError } from '../../core/errors.ts';
import type { CommandCall } from '../../shell/command-line/command.ts';

/** Throws `command-line` for flags of a run over a queue without `--queue`: the work would be done here instead. */
export function refuseWithoutQueue({ flags, typed }: CommandCall): void {
  if (flags.queue !== undefined) return;
  const set = { 'no-work': flags['no-work'], detach: flags.detach, slots: typed.has('slots') };
  const [flag] = Object.entries(set).find(([, isSet]) => isSet) ?? [];
  if (flag !== undefined) throw new SyncerError('command-line', `--${flag} needs --queue`);
}
