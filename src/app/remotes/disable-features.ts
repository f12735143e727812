import { around } from '../../core/around.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Capabilities, Remote } from '../../core/remote.ts';

/** What `--disable` can disable, by rclone's names. */
const FEATURES: Readonly<Record<string, readonly (keyof Capabilities)[]>> = {
  Purge: ['purge', 'purgeUnlisted'],
  Copy: ['copyFrom'],
  Move: ['moveFrom'],
  DirMove: ['moveDirFrom'],
  CleanUp: ['cleanUp'],
  ListR: ['listTreePage', 'listTreeUnordered'],
  ChangeNotify: ['changes'],
  About: ['about'],
  PublicLink: ['publicLink'],
};

/** The capabilities that `--disable` names, in any case; unknown names are ignored. Throws `usage` for `help`. */
export function disabledFeatures(text: string | undefined): ReadonlySet<keyof Capabilities> {
  if (text === 'help') {
    const names = Object.keys(FEATURES).join(', ');
    throw new SyncerError('usage', `possible backend features are: ${names}`);
  }
  const named = new Set((text ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const found = Object.entries(FEATURES).filter(([name]) => named.has(name.toLowerCase()));
  return new Set(found.flatMap(([, members]) => members));
}

/** The remote without these capabilities. */
export function disableFeatures(remote: Remote, disabled: ReadonlySet<keyof Capabilities>): Remote {
  if (disabled.size === 0) return remote;
  // Bucket-based backends move by copying.
  const gone = new Set(disabled);
  if (remote.traits.bucketBased && gone.has('copyFrom')) gone.add('moveFrom');
  const left = Object.entries(remote.can).filter(([name]) => !gone.has(name as keyof Capabilities));
  return around(remote, { can: Object.fromEntries(left) });
}
