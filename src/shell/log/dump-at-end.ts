import { execFile } from 'node:child_process';
import { toSyncerError } from '../../core/errors.ts';
import type { LogLevel } from '../../core/events.ts';
import type { Dump } from './dump-list.ts';

/** What `dumpAtEnd` needs of the run. */
export interface DumpParts {
  readonly write: (text: string) => Promise<void>;
  readonly tell: (level: LogLevel, message: string) => void;
}

/**
 * The output of `--dump` at the end of the command: for `goroutines` the running work of the process, for `openfiles`
 * the output of `lsof`.
 */
export async function dumpAtEnd(dumps: ReadonlySet<Dump>, { write, tell }: DumpParts) {
  if (dumps.has('goroutines')) {
    const active = process.getActiveResourcesInfo();
    await write(`active resources: total ${active.length}\n`);
    for (const [kind, all] of Map.groupBy(active, (each) => each))
      await write(`${all.length} @ ${kind}\n`);
  }
  if (!dumps.has('openfiles')) return;
  try {
    await write(await openFiles(process.pid));
  } catch (thrown) {
    tell('error', `Failed to list open files: ${toSyncerError(thrown).message}`);
  }
}

function openFiles(pid: number): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('lsof', ['-p', String(pid)], (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}
