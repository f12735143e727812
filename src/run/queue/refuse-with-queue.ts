import { innermost } from '../../core/around.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { isBucket } from '../../engine/without-bucket.ts';
import type { Program } from '../../shell/command-line/command.ts';
import { mayHoldBackendFlags } from '../../shell/command-line/parse-command-line.ts';
import { cannotUse } from '../../shell/flags/exclusions.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { queuePlace } from './queue-address.ts';

/** Throws `usage` for the places and values of a command line that many machines cannot share, with the reason. */
export function refuseWithQueue(
  flags: Flags,
  places: readonly string[],
  { argv, commands }: Program,
): void {
  refuseNoSlots(flags);
  for (const place of places) queuePlace(place);
  const refuse = (other: string, why: string) => {
    throw cannotUse('--queue', other, why);
  };
  if (typeof flags['max-delete'] === 'string')
    refuse('--max-delete and a percentage', 'no worker knows how many files there are');
  if (flags['hash-filter']?.startsWith('@'))
    refuse('--hash-filter @/N', 'each worker would choose another part');
  for (const [key, value] of Object.entries(flags)) {
    if (Array.isArray(value) && value.includes('-'))
      refuse(`--${key} -`, 'standard input cannot be read again');
  }
  if (mayHoldBackendFlags(commands, argv))
    refuse('flags of a backend', 'workers would not have them; set them in the configuration');
}

/** Throws `command-line` for a number of slots with which nothing would ever be done. */
export function refuseNoSlots({ slots }: Pick<Flags, 'slots'>): void {
  if (slots < 1) throw new SyncerError('command-line', `--slots must be at least 1, not ${slots}`);
}

/** Throws `usage` for an opened remote that many machines cannot share, with the reason. */
export function refuseUnshared(remote: Remote, asWritten: string): void {
  const inner = innermost(remote);
  const kind = inner.can.place?.kind;
  const why =
    inner.traits.onDisk || kind === 'disk'
      ? 'is a local path: every worker would see its own disk'
      : kind === 'drive'
        ? 'is a drive: its limits count all requests of an account, so more workers make it slower'
        : inner.can.inspection?.identity === undefined
          ? 'cannot be shared: nothing shows that workers see the same files'
          : isBucket(remote)
            ? undefined
            : 'is no bucket whose names come in order: name one bucket, as in remote:bucket';
  if (why !== undefined) {
    throw new SyncerError('usage', `"${asWritten}" ${why}`);
  }
}
