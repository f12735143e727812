import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Remote } from '../../../core/remote.ts';
import type { CopyFrom, Transfer, Verb } from '../../action.ts';
import { commonGround, comparePair, hasContentAndTime } from '../../compare-pair.ts';
import { fileAt } from '../../file-at.ts';
import { verbOf } from '../../file-work.ts';
import { deleteSource, hasListedSize } from '../../move-file.ts';
import type { OpenedPass, PassContext, PassGround, TransferOf } from '../../pass.ts';
import { isSameStore } from '../../place/overlap.ts';
import { comparingRules } from '../../rules/comparison.ts';
import type { CompareOptions } from '../../sync-option-parts.ts';

/** What to do with a file that a reference directory has: nothing, or copy it from there. */
type ReferenceMode = 'compare' | 'copy';

/** Directories whose files need not be transferred (`--compare-dest`, `--copy-dest`), in the order of search. */
interface References {
  readonly mode: ReferenceMode;
  readonly dirs: readonly Remote[];
}

/**
 * Whether the file of the source is deleted if a reference directory has it. Pure. As in rclone 1.60.1, a move leaves a
 * file that is new in a tree where it is.
 */
export function deletesReferred(
  verb: Verb,
  of: TransferOf,
  { ignoreExisting }: Pick<CompareOptions, 'ignoreExisting'>,
): boolean {
  return verb === 'move' && of !== 'new' && !ignoreExisting;
}

/**
 * The file at `path` of the first reference directory (`--compare-dest`, `--copy-dest`) that has one equal to
 * `source`. An error is counted and ends the search, so that the file is transferred, as in rclone.
 */
async function findReference(
  { run, verb, source: from, options }: PassGround,
  { mode, dirs }: References,
  source: FileEntry,
  path: string,
): Promise<Omit<CopyFrom, 'deletesSource'> | undefined> {
  const own = { remote: from, file: source };
  try {
    for (const remote of dirs) {
      // Moving a file that is itself its reference would lose it.
      const file = await fileAt(run, remote, path);
      if (file === undefined) continue;
      if (verb === 'move' && (await run.places.isSameFile(own, { remote, file }))) continue;
      const sides = { source: from, dest: remote };
      const ground = commonGround(from, remote, options.modifyWindowNs);
      const pair = { source, dest: file };
      // As with the destination, but flags about existing files do not apply.
      const rules = comparingRules(options, ground);
      const compared = await comparePair(sides, pair, rules, ground, run.op);
      // Another time is not set in a reference directory, and does not count.
      if (compared.verdict.do !== 'transfer')
        return { remote, file, isKept: hasContentAndTime(remote, compared) };
      if (mode === 'copy') run.log('debug', source.path, 'reference-missing');
    }
  } catch (thrown) {
    run.fail(thrown, source.path, { doing: 'compare-with-reference', reference: mode });
  }
  return undefined;
}

/** Refuses a `--copy-dest` on another remote than the destination, or without server-side copies (exit code 7). */
export function refuseCopyDest(dest: Remote, reference: Remote): void {
  const fail = (why: string) => new SyncerError('fatal', why);
  if (!isSameStore(reference, dest))
    throw fail('parameter to --copy-dest has to be on the same remote as destination');
  // A disk can copy, too, but rclone has no server-side copy there.
  if (dest.traits.onDisk || dest.can.copyFrom === undefined)
    throw fail("can't use --copy-dest on a remote which doesn't support server side copy");
}

async function refer(
  work: PassGround,
  references: References,
  transfer: Transfer,
  of: TransferOf,
): Promise<Transfer | undefined> {
  const { run, options, verb } = work;
  const { mode } = references;
  const { source, replaces } = transfer;
  // The destination has its content, which that of a file of the same size and time may not be.
  if (run.op.signal.aborted || (of === 'time' && mode === 'copy')) return transfer;
  if (of === 'refused') {
    // With `--immutable`, a differing file is not an error if `--compare-dest` has an equal one, as in rclone.
    if (mode !== 'compare' || replaces === undefined) return transfer;
    const found = await findReference(work, references, source, replaces.path);
    return found === undefined ? transfer : undefined;
  }
  if (verb === 'move' && !(await hasListedSize(work, source))) return transfer;
  const path = replaces?.path ?? (options.transform === undefined ? source : transfer).path;
  const found = await findReference(work, references, source, path);
  if (found === undefined) return transfer;
  const deletesSource = deletesReferred(verb, of, options);
  if (mode === 'copy') return { ...transfer, do: 'copy', from: { ...found, deletesSource } };
  run.log('debug', source.path, 'reference-found', { mode: 'compare' });
  if (deletesSource) await deleteSource(work, source, found, found.isKept);
  return undefined;
}

/** `--compare-dest` and `--copy-dest`: a file that a reference directory has is not transferred, or copied from there. */
export function referencePass(references: References): OpenedPass {
  return {
    make: (work) => ({
      prepare: (transfer, of, run) => refer({ ...work, run }, references, transfer, of),
      instead({ from, ...transfer }, error) {
        const { run } = work;
        if (from === undefined || run.op.signal.aborted || toSyncerError(error).stop)
          return undefined;
        // The source still has it.
        run.log('error', transfer.source.path, 'reference-copy-failed');
        return { ...transfer, do: verbOf(work) };
      },
      async done({ source, path, from }) {
        if (from === undefined) return;
        work.run.log('debug', source.path, 'reference-found', { mode: 'copy' });
        if (!from.deletesSource) return;
        await deleteSource(work, source, { remote: work.dest, file: { path } }, from.isKept);
      },
    }),
  };
}

/**
 * Opens the directories of `--compare-dest` or `--copy-dest`. Rejects with `fatal` where one cannot be opened or is not
 * fit for it.
 */
export async function openReferences(
  mode: ReferenceMode,
  specs: readonly string[],
  context: PassContext,
): Promise<OpenedPass> {
  const dirs: Remote[] = [];
  for (const spec of specs) {
    const fail = (why: string, cause?: unknown) =>
      new SyncerError('fatal', `--${mode}-dest "${spec}": ${why}`, { cause });
    if (spec === '') throw fail("can't use an empty path");
    const { remote, file } = await context.openPath(spec).catch((thrown) => {
      throw fail(toSyncerError(thrown).message, thrown);
    });
    if (file !== undefined) throw fail('it is a file, not a directory');
    dirs.push(remote);
  }
  if (mode === 'copy') for (const dir of dirs) refuseCopyDest(context.dest, dir);
  return referencePass({ mode, dirs });
}
