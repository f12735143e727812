import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Op } from '../core/remote.ts';
import { compareManyHashes, HASHED_TOGETHER } from './compare-hashes.ts';
import { type Compared, comparePair } from './compare-pair.ts';
import type { FinalDecision, PairFacts } from './decide.ts';
import type { BothSides, FileWork } from './file-work.ts';
import type { Run } from './run.ts';

/** Smaller files are hashed before anyone could read that they are, in bytes. */
const WORTH_SHOWING = 8 * 1024 * 1024;

/** Compares a file with an operation whose hashes of large files show as a check that is going on. */
export function withHashShown<T>(
  run: Run,
  file: FileEntry,
  compare: (op: Op) => Promise<T>,
): Promise<T> {
  return file.size < WORTH_SHOWING ? compare(run.op) : showHashing(run, file, compare);
}

async function showHashing<T>(
  run: Run,
  { path, size }: FileEntry,
  compare: (op: Op) => Promise<T>,
): Promise<T> {
  const { emit } = run.context;
  const id = run.nextId();
  let isShown = false;
  const onHashed = (bytes: number) => {
    if (!isShown) emit({ type: 'transfer-start', id, kind: 'check', path, size });
    isShown = true;
    emit({ type: 'transfer-hashed', id, bytes });
  };
  try {
    return await compare({ ...run.op, onHashed });
  } finally {
    if (isShown) emit({ type: 'transfer-end', id });
  }
}

/** The error of a file that `--immutable` protects and that differs between the sides. */
export function immutableFile(): SyncerError {
  const message = 'Source and destination exist but do not match: immutable file modified';
  return new SyncerError('no-retry', message);
}

/**
 * Decides pairs of one page: those that lack only hashes by hashes of many files at once, where the remotes have such.
 * Not in their order. Rejects only if the run is aborted.
 *
 * @param settle takes each pair with what is known of it, and the decision, which may still need facts
 */
export async function decideTogether<D extends object>(
  { run, source, dest, ground }: Pick<FileWork, 'run' | 'source' | 'dest' | 'ground'>,
  pairs: readonly BothSides[],
  decide: (facts: PairFacts) => D,
  settle: (facts: PairFacts, decision: D) => Promise<unknown> | undefined,
): Promise<void> {
  const hash = (source.can.hashMany ?? dest.can.hashMany) && ground.hash;
  const lacking: BothSides[] = [];
  for (let at = 0; at < pairs.length; at++) {
    const pair = pairs[at] as BothSides;
    const decision = decide(pair);
    const needsHashes = 'action' in decision && decision.action === 'need-hashes';
    if (hash !== undefined && needsHashes) {
      lacking.push(pair);
      continue;
    }
    const settled = settle(pair, decision);
    // To wait for what is settled at once would take longer than to decide.
    if (settled !== undefined) await settled;
  }
  if (hash === undefined) return;
  for (let from = 0; from < lacking.length; from += HASHED_TOGETHER) {
    await run.control?.ready(run.op.signal);
    const together = lacking.slice(from, from + HASHED_TOGETHER);
    const answers = await compareManyHashes({ source, dest }, together, hash, run.op);
    for (let at = 0; at < together.length; at++) {
      const pair = together[at] as BothSides;
      const hashes = answers[at];
      const facts: PairFacts = hashes === undefined ? pair : { ...pair, hashes };
      await settle(facts, decide(facts));
    }
  }
}

/** The decision about a pair; sends requests if needed. Errors are counted and give `undefined`. */
export async function decideAsking(work: FileWork, pair: PairFacts): Promise<Compared | undefined> {
  const { run } = work;
  try {
    return await withHashShown(run, pair.source, (op) =>
      comparePair(work, pair, work.options, work.ground, op),
    );
  } catch (thrown) {
    run.fail(thrown, pair.source.path, 'compare');
    return undefined;
  }
}

/** Logs the reason of a decision about a pair, with `-vv`. */
export function logDecision({ run }: FileWork, path: string, decision: FinalDecision): void {
  if (!run.verbose) return;
  if (decision.action !== 'refuse') run.log('debug', path, 'decided', decision);
  if (decision.action === 'skip') run.log('debug', path, 'unchanged');
}
