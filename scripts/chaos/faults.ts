import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault, FaultRule } from '../../test/servers/fault.ts';
import type { GraphFault } from '../../test/servers/graph/graph-fault.ts';
import { GRAPH_LIES } from '../../test/servers/graph/lies/graph-lies.ts';
import { WRITE_LIES as GRAPH_WRITE_LIES } from '../../test/servers/graph/lies/write-lies.ts';
import { PART_COPY_LIES } from '../../test/servers/lies/part-copy-lies.ts';
import { S3_LIES } from '../../test/servers/lies/s3-lies.ts';
import { WRITE_LIES } from '../../test/servers/lies/write-lies.ts';
import type { Case, CaseFault } from './case.ts';
import type { Dice } from './dice.ts';
import type { Places } from './places.ts';
import { REFUSALS } from './refusals.ts';

const FAULTS: readonly (Fault & GraphFault)[] = [
  { status: 500 },
  { status: 503 },
  { status: 403 },
  { status: 429, retryAfter: 0 },
  { reset: 'before' },
  { reset: 'after' },
  { reset: 'in-body', afterBytes: 1 },
  { truncate: true, afterBytes: 0 },
  { truncate: true, afterBytes: 50 },
];
/** Operations whose answers, or whose requests, are contents that can be checked. */
const DOWNLOADS = { s3: 'GetObject', drive: 'download' } as const;
const UPLOADS = { s3: 'PutObject', drive: 'putFragment' } as const;
const LISTINGS = { s3: 'ListObjectsV2', drive: 'listChildren' } as const;
const REMOVALS = {
  s3: ['DeleteObjects', 'DeleteObjects', 'DeleteObject'],
  drive: ['deleteItem', 'permanentDelete'],
} as const;
const WRITES = {
  s3: [
    ...['PutObject', 'CopyObject', 'HeadObject', 'CreateMultipartUpload', 'UploadPart'],
    ...['UploadPartCopy', 'CompleteMultipartUpload'],
  ],
  drive: [
    ...['putFragment', 'createUploadSession', 'patchItem', 'copy', 'monitor', 'createFolder'],
    ...['putContent', 'getItem'],
  ],
} as const;

/** Something that goes wrong at one of the two sides; the other is a disk, or goes well. */
export function makeFault(
  dice: Dice,
  { from, to }: Pick<Case, 'from' | 'to'>,
): CaseFault | undefined {
  const sides = (['a', 'b'] as const).filter((side) => (side === 'a' ? from : to) !== 'local');
  if (sides.length === 0 || from === 'lied' || to === 'lied') return undefined;
  const side = dice.pick(sides);
  const kind = side === 'a' ? from : to;
  if (kind !== 's3' && kind !== 'drive') return undefined;
  const faults = kind === 'drive' ? [...FAULTS, { unauthenticated: true } as const] : FAULTS;
  const skip = dice.pick([0, 0, 0, 1, 1, 2, 3, 5, 8, 13]);
  const count = dice.pick([1, 1, 2, 5, 1000]);
  const about = (operation: string, fault: CaseFault['fault'] = dice.pick(faults), times = count) =>
    ({ side, operation, skip, count: times, fault }) as const;
  switch (dice.below(10)) {
    case 0:
      return about(DOWNLOADS[kind], { corrupt: true, at: 0 });
    case 1:
      // The same error in two fragments cancels out in a QuickXorHash.
      return about(UPLOADS[kind], { corruptUpload: true, at: 0 }, kind === 'drive' ? 1 : count);
    case 2:
      return about(LISTINGS[kind]);
    case 3:
      return about(DOWNLOADS[kind]);
    case 4:
    case 5:
      return about(dice.pick<string>(REMOVALS[kind]));
    case 6:
      return about(dice.pick<string>(WRITES[kind]));
    default:
      return { side, skip, count, fault: dice.pick(faults) };
  }
}

/** A store that refuses some of the deletions. */
export function makeRefusal(dice: Dice): CaseFault {
  const lie = dice.pick(Object.keys(REFUSALS));
  return { side: 'b', skip: 0, count: 1, fault: { lie } };
}

const S3_WRITES = { ...WRITE_LIES, ...PART_COPY_LIES };

/** A store that does not tell the truth, in one of the ways that a client can see. */
export function makeLie(dice: Dice, { from, to }: Pick<Case, 'from' | 'to'>): CaseFault {
  const side = to === 'local' || (from !== 'local' && dice.chance(40)) ? 'a' : 'b';
  const isDrive = (side === 'a' ? from : to) === 'drive';
  const [all, ofWrites] = isDrive ? [GRAPH_LIES, GRAPH_WRITE_LIES] : [S3_LIES, S3_WRITES];
  const lies: Readonly<Record<string, { readonly isHidden?: true }>> =
    side === 'b' && dice.chance(50) ? ofWrites : all;
  const names = Object.keys(lies).filter((name) => lies[name]?.isHidden !== true);
  return { side, skip: 0, count: dice.pick([1, 1, 2, 3]), fault: { lie: dice.pick(names) } };
}

/** Lets a server misbehave; `onKill` is called where the fault is the end of the program. */
export function injectFault(places: Places, trial: Case, onKill: () => void): void {
  const { fault: wanted } = trial;
  if (wanted === undefined) return;
  const { side, operation, skip, count, fault } = wanted;
  if ('lie' in fault) {
    const isFar = trial.from === 'far' || trial.to === 'far';
    const isDrive = (side === 'a' ? trial.from : trial.to) === 'drive';
    if (isFar) tellOfRclone(places, fault.lie);
    else if (isDrive) places.graph.setLie({ lie: fault.lie, every: count });
    else places.liar.setLie({ lie: REFUSALS[fault.lie] ?? fault.lie, every: count });
    return;
  }
  let seen = 0;
  const rule = (request: { readonly operation: string }) => {
    if (operation !== undefined && request.operation !== operation) return undefined;
    const n = seen++;
    if (n < skip || n >= skip + count) return undefined;
    if (!('kill' in fault)) return fault;
    onKill();
    return undefined;
  };
  const kind = side === 'a' ? trial.from : trial.to;
  if (kind === 's3') places.s3.setFaults(rule as FaultRule);
  else if (kind === 'drive') places.graph.setFaults(rule);
}

/** Lets rclone answer otherwise than it should; with no name, as it should. */
function tellOfRclone({ rclone }: Places, lie: string): void {
  writeFileSync(join(rclone, 'lie'), lie);
}

/** All goes well from now on. */
export function endFaults(places: Places): void {
  const { s3, graph, liar } = places;
  tellOfRclone(places, '');
  liar.setLie(undefined);
  graph.setLie(undefined);
  s3.setFaults(undefined);
  graph.setFaults(undefined);
}
