import { linkedAbort } from '../kit/abort.ts';
import type { FileWork } from './file-work.ts';

/**
 * The work as the walk and the comparisons see it: they end also where a person wants the run to stop, which counts as
 * no error of theirs. What has begun to be transferred does not hear of it.
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

/** Resolves also where `walk` was broken off by the wish to stop. */
export async function untilStopped(work: FileWork, walk: Promise<void>): Promise<void> {
  try {
    await walk;
  } catch (thrown) {
    const { op, control } = work.run;
    if (op.signal.aborted || control?.stopping.aborted !== true) throw thrown;
  }
}
