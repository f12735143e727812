import { SyncerError } from '../../core/errors.ts';
import type { FileEntry } from '../../core/remote.ts';
import { counted, figure } from '../../core/shown-text.ts';
import type { DeleteTotals } from '../../engine/sync-option-parts.ts';
import type { CommandCall, UnderConsent } from '../../shell/command-line/command.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import type { Listing } from '../listing/open-listing.ts';
import { goingOn } from './bucket-guard.ts';
import { type GuardList, parseGuards } from './guard-list.ts';

/** A number of files, and some of them. */
export interface Counted {
  readonly files: number;
  readonly examples: readonly Pick<FileEntry, 'path'>[];
  /** Others were deleted before. */
  readonly isLate?: true;
}

/** The limit of the guard `count`, for a command that knows no other guards. Throws `usage`. */
export function countOf(flags: Flags): number | undefined {
  return flags.guard === undefined ? undefined : parseGuards(flags.guard).count;
}

/** Counts the files of a listing that the filter includes. Rejects if a part of it cannot be read. */
export async function countFiles(listing: Listing): Promise<Counted> {
  let files = 0;
  const examples: FileEntry[] = [];
  for await (const page of listing.files({ anyOrder: true })) {
    files += page.length;
    if (examples.length < 6) examples.push(...page.slice(0, 6));
  }
  listing.finish();
  return { files, examples };
}

/** The error of a guard that trips; `undefined` if `--allow-deletes` allows this number. */
export function guardError(
  { flags, shownWords }: CommandCall,
  { name, why }: Tripped,
  { files, examples, isLate }: Counted,
): SyncerError | undefined {
  const allowed = flags['allow-deletes'];
  if (isAllowed(allowed, files)) return undefined;
  const differs =
    allowed === undefined ? '' : ` (--allow-deletes ${allowed} differs by more than a tenth)`;
  const command = goingOn(shownWords, { 'allow-deletes': `${files}` });
  const shown = examples.length === 0 ? '' : `: ${exampleText(examples)}`;
  const end = isLate ? 'these were not deleted' : 'nothing was deleted';
  const text = `${name}: ${why}${differs}${shown}; ${end}`;
  return new SyncerError('guarded', text, { advice: `if they may go, run: ${command}` });
}

/**
 * The guard `count` of a command that deletes what it lists. Rejects with `guarded` before anything is deleted.
 *
 * @param limit the most files; `undefined`: nothing is counted
 */
export async function refuseCount(
  invocation: CommandCall & UnderConsent,
  limit: number | undefined,
  count: () => Promise<Counted>,
  doing?: string,
): Promise<void> {
  // A review shows each of them.
  if (limit === undefined || invocation.consent.how === 'collect' || invocation.flags.review)
    return;
  const counted = await count();
  const tripped = trippedByCount(limit, counted.files, doing);
  const error = tripped && guardError(invocation, tripped, counted);
  if (error !== undefined) throw error;
}

/**
 * The guard `count` of `delete` and `purge`: rejects with `guarded` before anything is deleted if the listing has more
 * files. Opens no listing without the guard.
 */
export async function guardCount(
  invocation: CommandCall & UnderConsent,
  listing: () => Listing | Promise<Listing>,
): Promise<void> {
  if (invocation.flags.guard === undefined) return;
  await refuseCount(invocation, countOf(invocation.flags), async () => countFiles(await listing()));
}

/** A guard that trips: its name, and why. */
export interface Tripped {
  readonly name: string;
  readonly why: string;
}

/**
 * The first guard that compares numbers and trips; `undefined` if none does. `maxDelete`: `percent` of `--max-delete`, for
 * any number of files.
 */
export function trippedBy(
  guards: Pick<GuardList, 'empty' | 'percent' | 'count'> & {
    readonly maxDelete?: number | undefined;
  },
  totals: Pick<DeleteTotals, 'sourceFiles' | 'destFiles' | 'extra'>,
): Tripped | undefined {
  const { empty, percent, count, maxDelete } = guards;
  const { sourceFiles, destFiles, extra: files } = totals;
  if (files === 0) return undefined;
  const share = (files * 100) / Math.max(destFiles, files);
  const rounded = Math.round(share);
  // Without decimals, unless all or none would be wrong.
  const isWrong = (rounded === 100 && share < 100) || (rounded === 0 && share > 0);
  const shown = isWrong ? share.toFixed(1) : `${rounded}`;
  const of = `${figure(files)} of ${counted(destFiles, 'file')} at the destination would be deleted (${shown}%)`;
  if (empty && sourceFiles === 0)
    return { name: 'guard empty', why: `the source has no files, and ${of}` };
  if (maxDelete !== undefined && share > maxDelete)
    return { name: `--max-delete ${maxDelete}%`, why: of };
  // A share of few files says nothing.
  if (percent !== undefined && destFiles >= 100 && share > percent)
    return { name: 'guard percent', why: `${of}, more than ${percent}%` };
  return trippedByCount(count, files);
}

/** The guard `count` for a number of files that would be deleted. */
function trippedByCount(
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
