import { SyncerError } from '../core/errors.ts';
import { leafName } from '../core/remote-path.ts';
import type { FileWork } from '../engine/file-work.ts';
import { overlap } from '../engine/place/overlap.ts';
import { counted } from '../kit/counted.ts';
import type { Archive } from './archive.ts';
import type { Side } from './decide-two-way.ts';
import type { BothTrees } from './look-both.ts';

/** What stops a run before it changes anything. */
export interface SurpriseRules {
  /** `--force`. */
  readonly force: boolean;
  /** Of the files that both sides had, in percent (`--max-delete`); 50 by default. */
  readonly maxDeletePercent?: number | undefined;
  /** Files of this name must be on both sides, in the same directories (`--check-access`). */
  readonly accessFile?: string | undefined;
}

/** From how many files on it is a surprise that all of them were changed. */
const MANY = 10;

/** Fewer deletions are no surprise, unless `--max-delete` was set. */
const FEW = 5;

const PATH_OF = { a: 'path1', b: 'path2' } as const;

/**
 * Rejects before anything is changed if the sides look like something went wrong: a side without any file, more
 * deletions than `--max-delete`, all files changed, access files missing. Exit codes are those of rclone: 7 for a side
 * that cannot be trusted, 1 for what `--force` allows.
 */
export async function refuseSurprises(
  work: FileWork,
  { archive, surprises }: { readonly archive: Archive; readonly surprises: SurpriseRules },
  trees: BothTrees,
): Promise<void> {
  const roots = await overlap(work.source, work.dest, work.run.op);
  if (roots.how !== 'apart') {
    const text = `can't sync overlapping remotes: "${work.source.title}" and "${work.dest.title}"`;
    throw new SyncerError('fatal', text);
  }
  // A root that cannot be listed shows no side: its error is the one to report, and nothing is decided below it.
  const { a, b } = trees.files;
  if (work.run.tally.count > 0 && a.size === 0 && b.size === 0) return;
  const error = surpriseIn(archive, trees, surprises);
  if (error !== undefined) throw error;
}

/** The first thing that is not as expected; `undefined` if nothing is. Pure. */
function surpriseIn(
  { files: before }: Pick<Archive, 'files'>,
  trees: Pick<BothTrees, 'files' | 'todo' | 'unchanged'>,
  { force, maxDeletePercent, accessFile }: SurpriseRules,
): SyncerError | undefined {
  if (accessFile !== undefined) {
    const problem = accessProblem(trees, accessFile);
    if (problem !== undefined) return refusal('fatal', `check file check failed: ${problem}`);
  }
  if (force || before.size === 0) return undefined;
  for (const side of ['a', 'b'] as const) {
    const name = PATH_OF[side];
    const had = counted(before.size, 'file');
    if (trees.files[side].size === 0) {
      return refusal('fatal', `${name} has no files, but had ${had} after the last run`);
    }
    const deletes = trees.todo.filter(
      ({ decision }) => decision.changes[side] === 'deleted',
    ).length;
    const percent = (100 * deletes) / before.size;
    if (percent > (maxDeletePercent ?? 50) && (deletes >= FEW || maxDeletePercent !== undefined)) {
      const share = `${deletes} of ${had} (${Math.floor(percent)}%)`;
      const text = `too many deletes on ${name}: ${share}, more than --max-delete ${maxDeletePercent ?? 50}`;
      return refusal('other', text);
    }
    if (before.size >= MANY && trees.unchanged[side] === 0) {
      return refusal('other', `all ${had} were changed on ${name}`);
    }
  }
  return undefined;
}

function refusal(code: 'fatal' | 'other', text: string): SyncerError {
  return new SyncerError(code, `nothing was changed: ${text}`, {
    advice: 'check both paths; if this is meant, run again with --force',
  });
}

function accessProblem({ files }: Pick<BothTrees, 'files'>, name: string): string | undefined {
  const of = (side: Side) => new Set([...files[side]].filter((path) => leafName(path) === name));
  const [a, b] = [of('a'), of('b')];
  if (a.size === 0 && b.size === 0) return `no ${name} on either side`;
  for (const path of a) if (!b.has(path)) return `path2 lacks ${path}`;
  for (const path of b) if (!a.has(path)) return `path1 lacks ${path}`;
  return undefined;
}
