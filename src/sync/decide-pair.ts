import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Op } from '../core/remote.ts';
import { type Compared, comparePair } from './compare-pair.ts';
import { decide, type FinalDecision } from './decide.ts';
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

/** The decision about a pair if the listings suffice; `undefined` if a request is needed. */
export function decideAtOnce(work: FileWork, pair: BothSides): Compared | undefined {
  const decision = decide(pair, work.options, work.ground);
  return 'reason' in decision ? { ...pair, decision } : undefined;
}

/** The decision about a pair; sends requests if needed. Errors are counted and give `undefined`. */
export async function decideAsking(work: FileWork, pair: BothSides): Promise<Compared | undefined> {
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
