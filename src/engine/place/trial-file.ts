import { toSyncerError } from '../../core/errors.ts';
import type { LogLevel } from '../../core/events.ts';
import type { LogFields } from '../../core/log-fields.ts';
import { isTrialEntry, TRIAL_NAME } from '../../core/own-names.ts';
import type { Entry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';
import { leafName } from '../../core/remote-path.ts';
import { ownerState } from '../../system/owner-state.ts';

/** As `isTrialEntry`: no run copies such a file, compares it or treats it as extra. */
export const isTrialFile = (entry: Entry): entry is FileEntry => isTrialEntry(entry);

/** Whether a trial file is of a process of this machine that has ended. */
export function isLeftTrial(entry: Entry): boolean {
  return (
    isTrialFile(entry) && ownerState(TRIAL_NAME.exec(leafName(entry.path))?.[1] ?? '') === 'dead'
  );
}

/** A run that deletes trial files. */
export interface CleaningRun {
  readonly op: Op;
  log(level: LogLevel, path: string, code: 'partial-deleted'): void;
  log(level: LogLevel, path: string, code: 'partial-kept', fields: LogFields['partial-kept']): void;
}

/** Deletes trial files of killed runs on this machine; an error leaves them to the next run. */
export async function deleteLeftTrials(
  run: CleaningRun,
  remote: Remote,
  entries: readonly FileEntry[],
): Promise<void> {
  for (const entry of entries.filter(isLeftTrial)) {
    try {
      await deleteOne(remote, entry, run.op);
      run.log('info', entry.path, 'partial-deleted');
    } catch (thrown) {
      run.log('debug', entry.path, 'partial-kept', { why: toSyncerError(thrown) });
    }
  }
}
