import { openSync, writeSync } from 'node:fs';
import { nameToBytes } from '../../core/name-bytes.ts';
import { HookLog } from '../log/hook-log.ts';

/** Where the log goes. */
export interface LogChoice {
  readonly verbose: boolean;
  /** Appended to; empty: standard error. */
  readonly file: string;
}

/** Opens the log. Throws an error of the file system. */
export function openLog({ verbose, file }: LogChoice): HookLog {
  if (!verbose) return new HookLog(undefined);
  const descriptor = file === '' ? 2 : openSync(file, 'a', 0o666);
  return new HookLog((text) => writeAll(descriptor, nameToBytes(text)));
}

/** Writes lines before anything else happens. A log that cannot be written must not stop the answering. */
function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0, tries = 0; at < bytes.length && tries < 100; tries++) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}
