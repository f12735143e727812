import { OWN_NAMES } from '../../core/own-names.ts';
import type { Remote } from '../../core/remote.ts';
import type { SyncPlan } from '../../engine/file-work.ts';
import type { PlannedChange } from '../../review/planned-change.ts';
import type { Invocation } from '../command.ts';

/** What `--trash` makes of a change. */
export interface TrashWhy {
  readonly text: string;
  /** The directory that the old file is put into; absent: nothing is put anywhere. */
  readonly into?: string;
}

/** Where a run keeps the file of the destination that a change deletes or replaces; `undefined` without `--trash`. */
export async function trashWhy(
  { flags, remotes, context }: Invocation,
  { verb, dest, options }: Pick<SyncPlan, 'verb' | 'dest' | 'options'>,
  change: PlannedChange | undefined,
): Promise<TrashWhy | undefined> {
  const { trash, 'trash-dir': dir } = flags;
  if (!trash && !dir) return undefined;
  const goes = goesAt(dest, verb, change);
  if (goes === undefined) return { text: 'no file of the destination is deleted or replaced' };
  if (options.backup !== undefined) return { text: 'not used: the old file is in --backup-dir' };
  const keeps = await dest.can.restoring?.keeps({ signal: context.signal });
  if (keeps?.[goes] === true) return { text: `the server of ${dest.title} keeps the ${goes} file` };
  const into = dir ? (await remotes.openDir(dir)).title : `${OWN_NAMES.trash} of ${dest.title}`;
  return { text: `the ${goes} file is kept in ${into}`, into };
}

function goesAt(
  { can }: Remote,
  verb: SyncPlan['verb'],
  change: PlannedChange | undefined,
): keyof Awaited<ReturnType<NonNullable<typeof can.restoring>['keeps']>> | undefined {
  if (change?.dest === undefined) return undefined;
  if (change.kind === 'delete') return verb === 'move' ? undefined : 'deleted';
  return change.kind === 'update' || change.kind === 'move' ? 'replaced' : undefined;
}
