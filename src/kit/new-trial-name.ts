import { randomBytes } from 'node:crypto';
import { ownMark } from './owner-state.ts';

/** A name for a trial file (`TRIAL_NAME`): one that disks omit from listings, as they do for files that are being written. */
export function newTrialName(): string {
  return `syncer-partial-${ownMark()}-${randomBytes(5).toString('hex')}`;
}
