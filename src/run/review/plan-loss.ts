import type { TrashUse } from '../../core/change-details.ts';
import { counted } from '../../core/shown-text.ts';
import type { Tone } from '../../terminal/span.ts';
import type { PlanTree, Totals } from './plan-tree.ts';
import { KINDS, KINDS_BY_DANGER, kindCount, reviewSize } from './planned-change.ts';

/** What keeps the content that a run deletes or replaces: then undo can bring it back. */
export interface Keeping {
  /** Whether the trash of the run is used, which the review decides; absent: it cannot be used. */
  readonly trash?: TrashUse | undefined;
  /** What the flags say of the trash stays. */
  readonly isFixed?: boolean;
  /** The trash takes copies: as much space again. */
  readonly copies?: boolean;
  /** What the server keeps by itself. */
  readonly server: { readonly deleted: boolean; readonly replaced: boolean };
  /** Other flags keep all of it: `--backup-dir`, `--suffix`. */
  readonly aside?: boolean;
  /** Conflicts without a decision lose a version, too. */
  readonly losers?: boolean;
}

/** Files whose content goes. */
interface Gone {
  files: number;
  /** As far as sizes are known. */
  bytes: number;
}

/** What the chosen changes of a plan delete and replace; without what a move leaves at its destination. */
export interface PlanLoss {
  readonly deleted: Gone;
  readonly replaced: Gone;
}

/** What keeps lost files; `nothing`: it is for good. */
type Keeper = 'trash' | 'server' | 'aside' | 'nothing';

/** A text of a question, and its tone. */
export interface AskedLine {
  readonly text: string;
  readonly tone: Tone;
}

/** What a plan loses that is to be made now. */
export function lossOf({ nodes }: PlanTree, keeping?: Keeping): PlanLoss {
  const loss: PlanLoss = { deleted: { files: 0, bytes: 0 }, replaced: { files: 0, bytes: 0 } };
  for (const { change, matches, dropped, keep } of nodes) {
    if (change === undefined || !matches || dropped) continue;
    const { kind, side, size, source, dest } = change;
    const add = (gone: Gone, bytes: number) => {
      gone.files++;
      gone.bytes += Math.max(0, bytes);
    };
    if (kind === 'delete' && side !== 'source') add(loss.deleted, size);
    if (kind === 'update' || (kind === 'move' && dest !== undefined))
      add(loss.replaced, dest?.size ?? -1);
    if (kind !== 'conflict' || keep === 'both') continue;
    const losesOne = keep !== undefined || keeping?.losers === true;
    if (losesOne) add(loss.replaced, (keep === 'path1' ? dest : source)?.size ?? -1);
  }
  return loss;
}

/** What keeps the files that a plan deletes, or those that it replaces. */
function keeperOf(what: 'deleted' | 'replaced', keeping: Keeping | undefined): Keeper {
  if (keeping?.aside === true) return 'aside';
  if (keeping?.server[what] === true) return 'server';
  return keeping?.trash?.isOn === true ? 'trash' : 'nothing';
}

/** Whether some of it is for good, as it is kept now. */
export function isForGood({ deleted, replaced }: PlanLoss, keeping: Keeping | undefined): boolean {
  return (
    (deleted.files > 0 && keeperOf('deleted', keeping) === 'nothing') ||
    (replaced.files > 0 && keeperOf('replaced', keeping) === 'nothing')
  );
}

/** How the other answer keeps it: in the trash, or not; `undefined`: there is no other one. */
export function otherWay(
  loss: PlanLoss,
  keeping: Keeping | undefined,
): 'trash' | 'for-good' | undefined {
  if (keeping?.trash === undefined || keeping.isFixed === true) return undefined;
  const { trash } = keeping;
  const other = { ...keeping, trash: { isOn: !trash.isOn } };
  if (isForGood(loss, keeping) === isForGood(loss, other)) return undefined;
  return trash.isOn ? 'for-good' : 'trash';
}

const FATES: Readonly<Record<Keeper, string>> = {
  aside: 'kept in the backup, undo brings it back',
  nothing: 'not kept, cannot be undone',
  server: 'kept by the server, undo brings it back',
  trash: 'kept in the trash, undo brings it back',
};

/** The question before something is deleted or replaced: what is lost first, with its bytes and what keeps it. */
export function sureLines(
  chosen: Totals,
  loss: PlanLoss,
  keeping: Keeping | undefined,
): readonly AskedLine[] {
  const { deleted, replaced } = loss;
  const sumOf = (what: 'deleted' | 'replaced', { files, bytes }: Gone): AskedLine[] => {
    if (files === 0) return [];
    const keeper = keeperOf(what, keeping);
    const text = `${counted(files, 'file')} ${what}${bytes > 0 ? `, ${reviewSize(bytes)}` : ''}: ${FATES[keeper]}`;
    return [{ text, tone: keeper === 'nothing' ? 'bad' : 'warn' }];
  };
  const kinds = KINDS_BY_DANGER.flatMap((kind) => {
    const count = chosen.kinds[KINDS.indexOf(kind)] ?? 0;
    // The other deletions are of files that the destination has.
    const left = kind === 'delete' ? count - deleted.files : kind === 'update' ? 0 : count;
    const at = kind === 'delete' ? ' at the source' : '';
    return left === 0 ? [] : [`${kindCount(kind, left)}${at}`];
  });
  const others = new Intl.ListFormat('en-GB').format(kinds);
  const other = otherWay(loss, keeping);
  const copied =
    keeping?.copies === true ? `, copies ${reviewSize(deleted.bytes + replaced.bytes)}` : '';
  const ways: Readonly<Record<'trash' | 'for-good', string>> = {
    trash: `y does it for good; t keeps the old files in the trash${copied}`,
    'for-good': `y keeps the old files in the trash${copied}; ! does it for good`,
  };
  return [
    { text: `Apply ${counted(chosen.changes, 'change')}?`, tone: 'plain' },
    ...sumOf('deleted', deleted),
    ...sumOf('replaced', replaced),
    ...(others === '' ? [] : [{ text: others, tone: 'plain' } as const]),
    ...(other === undefined ? [] : [{ text: ways[other], tone: 'plain' } as const]),
  ];
}
