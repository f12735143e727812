import { randomUUID } from 'node:crypto';
import type { Entry, Remote } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';

const TRIAL = /^syncer-(?:partial(?:-[0-9a-z]+){4}|place-[0-9a-f-]{36})$/;

/**
 * Whether an entry is a file by which a run finds out whether two places are one. One that was killed leaves it on a
 * store: no run copies it, compares it or deletes it.
 */
export function isTrialFile(entry: Entry): boolean {
  return entry.kind === 'file' && entry.size === 0 && TRIAL.test(leafName(entry.path));
}

/** A name for such a file: one that a disk leaves out of its listings where one of the two is a disk. */
export function trialName(written: Remote, seen: Remote): string {
  const byDisk = written.can.place?.trialName ?? seen.can.place?.trialName;
  return byDisk?.() ?? `syncer-place-${randomUUID()}`;
}
