import { linkedAbort } from '../kit/abort.ts';
import type { FileWork } from './file-work.ts';

/**
 * The work for the walk and the comparisons: they end also when the user stops the run, which is no error of theirs.
 * Running transfers are not affected.
 */
export function stoppableWork(work: FileWork): FileWork {
  const { run } = work;
  const stopping = run.control?.stopping;
  if (stopping === undefined) return work;
  const { signal } = linkedAbort(run.op.signal, stopping);
  const fail: typeof run.fail = (thrown, path, doing) => {
    if (!signal.aborted) run.fail(thrown, path, doing);
  };
  return { ...work, run: { ...run, op: { signal }, fail } };
}

/** Resolves also if `walk` was ended by the user's stop. */
export async function untilStopped(work: FileWork, walk: Promise<void>): Promise<void> {
  try {
    await walk;
  } catch (thrown) {
    const { op, control } = work.run;
    if (op.signal.aborted || control?.stopping.aborted !== true) throw thrown;
  }
}
