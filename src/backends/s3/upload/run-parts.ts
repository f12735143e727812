import type { Op } from '../../../core/remote.ts';

/**
 * Takes tasks one after another and runs up to `atOnce` of them at a time. At the first failure the others are
 * aborted; rejects with that failure when all have ended, so that nothing goes on behind the caller's back.
 */
export async function runParts<Task, Result>(
  tasks: AsyncIterator<Task>,
  atOnce: number,
  op: Op,
  run: (task: Task, op: Op) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const inner: Op = { signal: AbortSignal.any([op.signal, stop.signal]) };
  const results: Result[] = [];
  const failures: unknown[] = [];
  const work = async () => {
    try {
      for (;;) {
        const next = await tasks.next();
        if (next.done === true || failures.length > 0) return;
        results.push(await run(next.value, inner));
      }
    } catch (error) {
      failures.push(error);
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) {
    await tasks.return?.();
    throw failures[0];
  }
  return results;
}
