import { SyncerError } from '../../core/errors.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { type Listing, openListing } from '../listing/open-listing.ts';
import { goingOn } from './going-on.ts';
import { parseGuards } from './guard-list.ts';
import { exampleText, isAllowed, type Tripped, trippedByCount } from './number-guards.ts';

/** A number of files, and some of them. */
export interface Counted {
  readonly files: number;
  readonly examples: readonly Pick<FileEntry, 'path'>[];
  /** Others were deleted before. */
  readonly isLate?: true;
}

/** The limit of the guard `count`, for a command that knows no other guards. Throws `usage`. */
export function countOf({ flags }: Pick<Invocation, 'flags'>): number | undefined {
  return flags.guard === undefined ? undefined : parseGuards(flags.guard).count;
}

/** Counts the files of a listing. Rejects if a part of it cannot be read. */
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

/** Counts the files of the first argument that the filter includes. */
export async function countListed(invocation: Invocation): Promise<Counted> {
  return countFiles(await openListing(invocation));
}

/** The error of a guard that trips; `undefined` if `--allow-deletes` allows this number. */
export function guardError(
  invocation: Pick<Invocation, 'flags' | 'shownWords'>,
  { name, why }: Tripped,
  { files, examples, isLate }: Counted,
): SyncerError | undefined {
  const allowed = invocation.flags['allow-deletes'];
  if (isAllowed(allowed, files)) return undefined;
  const differs =
    allowed === undefined ? '' : ` (--allow-deletes ${allowed} differs by more than a tenth)`;
  const command = goingOn(invocation, { 'allow-deletes': `${files}` });
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
  invocation: Invocation,
  limit: number | undefined,
  count: () => Promise<Counted>,
  doing?: string,
): Promise<void> {
  // A review shows each of them.
  if (limit === undefined || invocation.approval?.plans || invocation.flags.review) return;
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
  invocation: Invocation,
  listing: () => Listing | Promise<Listing>,
): Promise<void> {
  if (invocation.flags.guard === undefined) return;
  const { countFiles, countOf, refuseCount } = await import('./count-guard.ts');
  await refuseCount(invocation, countOf(invocation), async () => countFiles(await listing()));
}
