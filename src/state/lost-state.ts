import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../core/context.ts';
import { isRunId } from '../core/run-id.ts';

/** What the name of the copy of a state has after its own. */
export const COPY_END = '.copy';

/** Whether there is something at a path, also a link that leads nowhere. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Whether there was a state earlier, if `path` has none: its copy shows that, and the journal of a run, which earlier
 * versions kept beside `runs.jsonl`.
 */
export function hadState(path: string): boolean {
  if (existsSync(path + COPY_END)) return true;
  const dir = dirname(path);
  if (existsSync(join(dir, 'runs.jsonl'))) return false;
  const runs = join(dir, 'runs');
  try {
    // The journal of the run that begins a state is younger than a minute.
    const before = systemClock.now() - 60_000;
    for (const id of readdirSync(runs))
      if (isRunId(id) && lstatSync(join(runs, id)).mtimeMs < before) return true;
  } catch {
    // There are no runs.
  }
  return false;
}
