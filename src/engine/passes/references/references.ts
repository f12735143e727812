import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Remote } from '../../../core/remote.ts';
import type { EqualFile, Verb } from '../../action.ts';
import { commonGround } from '../../compare-pair.ts';
import { fileAt } from '../../file-at.ts';
import { verbOf } from '../../file-work.ts';
import { loseSource } from '../../loss/lose-source.ts';
import { hasListedSize } from '../../move-file.ts';
import type { OpenedPass, PassContext, PassGround } from '../../pass.ts';
import { isSameStore } from '../../place/overlap.ts';
import { askRules, hasContentAndTime } from '../../rules/ask.ts';
import { comparingRules } from '../../rules/comparison.ts';
import type { RuleOptions } from '../../rules/flags.ts';
import { type Facts, type FileRule, NEEDS_LOOK } from '../../rules/rule.ts';

/** What to do with a file that a reference directory has: nothing, or copy it from there. */
type ReferenceMode = 'compare' | 'copy';

/** Directories whose files need not be transferred (`--compare-dest`, `--copy-dest`), in the order of search. */
interface References {
  readonly mode: ReferenceMode;
  readonly dirs: readonly Remote[];
}

/** A run with reference directories; `PassGround` is one. */
interface ReferredWork {
  readonly verb: Verb;
  readonly isOne?: true;
  readonly options: RuleOptions;
}

/**
 * Whether the file of the source is deleted if a reference directory has it. Pure. As in rclone, a move leaves a file
 * that is new in a tree where it is.
 */
export function deletesReferred(
  { verb, isOne, options }: ReferredWork,
  { dest }: Pick<Facts, 'dest'>,
): boolean {
  return verb === 'move' && (dest !== undefined || isOne === true) && !options.ignoreExisting;
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
): Promise<EqualFile | undefined> {
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
      const judged = await askRules({ ...sides, run, rules, ground }, pair);
      // Another time is not set in a reference directory, and does not count.
      if (judged.verdict.do !== 'transfer')
        return { remote, file, isSure: hasContentAndTime(remote, judged) };
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

/** A file that a reference directory has is not transferred, or copied from there. */
function referenceRule(work: PassGround, references: References): FileRule {
  const { mode } = references;
  return {
    name: `--${mode}-dest`,
    // With `--immutable`, a differing file is no error if `--compare-dest` has an equal one, as in rclone.
    of: mode === 'compare' ? 'change-or-refusal' : 'change',
    keepsNames: false,
    extra: 'pairs-only',
    isForNew: true,
    judge({ isTimeUnset }, so) {
      // The destination has its content, which that of a file of the same size and time may not be.
      if (isTimeUnset === true && mode === 'copy') return undefined;
      return so?.do === 'transfer' || so?.do === 'refuse' ? NEEDS_LOOK : undefined;
    },
    async look(facts, so, run) {
      const { source, dest, path: to = source.path } = facts;
      const { options, verb } = work;
      if (run.op.signal.aborted) return undefined;
      if (verb === 'move' && !(await hasListedSize({ ...work, run }, source))) return undefined;
      const path = dest?.path ?? (options.transform === undefined ? source.path : to);
      const found = await findReference({ ...work, run }, references, source, path);
      if (found === undefined) return undefined;
      const goes = deletesReferred(work, facts);
      if (mode === 'copy') {
        const from = { ...found, deletesSource: goes };
        return { do: 'transfer', reason: so.reason, as: { do: 'copy', from } };
      }
      const reason = { why: 'in-reference' } as const;
      return goes ? { do: 'delete-source', reason, equal: found } : { do: 'keep', reason };
    },
  };
}

/** `--compare-dest` and `--copy-dest`: a file that a reference directory has is not transferred, or copied from there. */
export function referencePass(references: References): OpenedPass {
  return {
    rule: (work) => referenceRule(work, references),
    make: (work) => ({
      instead({ from, ...transfer }, error) {
        const { run } = work;
        if (from === undefined || run.op.signal.aborted || toSyncerError(error).stop)
          return undefined;
        // The source still has it.
        run.log('error', transfer.source.path, 'reference-copy-failed');
        return { ...transfer, do: verbOf(work) };
      },
      async done({ source, path, from }, run) {
        if (from === undefined) return;
        run.log('debug', source.path, 'reference-found', { mode: 'copy' });
        if (!from.deletesSource) return;
        await loseSource(
          { ...work, run },
          source,
          { remote: work.dest, file: { path } },
          from.isSure,
        );
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
  const { source, dest, isTwoWay } = context;
  for (const dir of mode === 'copy' ? dirs : []) {
    refuseCopyDest(dest, dir);
    if (isTwoWay === true) refuseCopyDest(source, dir);
  }
  return referencePass({ mode, dirs });
}
