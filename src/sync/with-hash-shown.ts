import type { FileEntry, Op } from '../core/remote.ts';
import type { Run } from './run.ts';

/** Smaller files are hashed before anyone could read that they are, in bytes. */
const WORTH_SHOWING = 8 * 1024 * 1024;

/** Compares a file with an operation whose hashes of large files show as a check that is going on. */
export async function withHashShown<T>(
  run: Run,
  { path, size }: FileEntry,
  compare: (op: Op) => Promise<T>,
): Promise<T> {
  if (size < WORTH_SHOWING) return compare(run.op);
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
