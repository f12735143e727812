import { counted, figure } from '../../core/counted.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { DeleteTotals } from '../../engine/sync-option-parts.ts';

/** The guards that compare numbers. */
export interface NumberGuards {
  readonly empty?: boolean;
  readonly percent?: number | undefined;
  readonly count?: number | undefined;
  /** `percent` of `--max-delete`, for any number of files. */
  readonly maxDelete?: number | undefined;
}

/** A guard that trips: its name, and why. */
export interface Tripped {
  readonly name: string;
  readonly why: string;
}

/** From how many files on a share of them says something. */
const MANY = 100;

/** The first guard that trips; `undefined` if none does. Of a part of the trees, `whole` has the numbers of all. */
export function trippedBy(
  guards: NumberGuards,
  {
    sourceFiles,
    destFiles,
    extra: files,
  }: Pick<DeleteTotals, 'sourceFiles' | 'destFiles' | 'extra'>,
): Tripped | undefined {
  const { empty, percent, count, maxDelete } = guards;
  if (files === 0) return undefined;
  const share = (files * 100) / Math.max(destFiles, files);
  const of = `${figure(files)} of ${counted(destFiles, 'file')} at the destination would be deleted (${shown(share)}%)`;
  if (empty && sourceFiles === 0) {
    return { name: 'guard empty', why: `the source has no files, and ${of}` };
  }
  if (maxDelete !== undefined && share > maxDelete) {
    return { name: `--max-delete ${maxDelete}%`, why: of };
  }
  if (percent !== undefined && destFiles >= MANY && share > percent) {
    return { name: 'guard percent', why: `${of}, more than ${percent}%` };
  }
  return trippedByCount(count, files);
}

/** The guard `count` for a number of files that would be deleted. */
export function trippedByCount(
  count: number | undefined,
  files: number,
  doing = 'deleted',
): Tripped | undefined {
  if (count === undefined || files <= count) return undefined;
  const why = `${counted(files, 'file')} would be ${doing}, more than ${figure(count)}`;
  return { name: 'guard count', why };
}

/** Whether `--allow-deletes` allows this number: it differs by a tenth of it at most. */
export function isAllowed(allowed: number | undefined, files: number): boolean {
  return allowed !== undefined && Math.abs(files - allowed) * 10 <= files;
}

/** Up to five of the files: `a, b, c, d, e, …`. */
export function exampleText(files: readonly Pick<FileEntry, 'path'>[]): string {
  const shownFiles = files.slice(0, 5).map(({ path }) => path);
  return [...shownFiles, ...(files.length > 5 ? ['…'] : [])].join(', ');
}

/** Without decimals, unless all or none would be wrong. */
function shown(share: number): string {
  const rounded = Math.round(share);
  const isWrong = (rounded === 100 && share < 100) || (rounded === 0 && share > 0);
  return isWrong ? share.toFixed(1) : `${rounded}`;
}
