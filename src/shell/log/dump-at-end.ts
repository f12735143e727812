import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { toSyncerError } from '../../core/errors.ts';
import type { LogLevel } from '../../core/events.ts';
import type { Dump } from './dump-list.ts';

/**
 * The output of `--dump` at the end of the command: for `goroutines` the running work of the process, for `openfiles`
 * the output of `lsof`.
 */
export async function dumpAtEnd(
  dumps: ReadonlySet<Dump>,
  write: (text: string) => Promise<void>,
  tell: (level: LogLevel, message: string) => void,
) {
  if (dumps.has('goroutines')) {
    const active = process.getActiveResourcesInfo();
    await write(`active resources: total ${active.length}\n`);
    for (const [kind, all] of Map.groupBy(active, (each) => each))
      await write(`${all.length} @ ${kind}\n`);
  }
  if (!dumps.has('openfiles')) return;
  try {
    const { stdout } = await promisify(execFile)('lsof', ['-p', String(process.pid)]);
    await write(stdout);
  } catch (thrown) {
    tell('error', `Failed to list open files: ${toSyncerError(thrown).message}`);
  }
}
