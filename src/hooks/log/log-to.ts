import { writeSync } from 'node:fs';
import { nameToBytes } from '../../core/name-bytes.ts';
import { HookLog } from './hook-log.ts';

/** The log that goes to an open file; nowhere without one. */
export function logTo(descriptor: number | undefined): HookLog {
  if (descriptor === undefined) return new HookLog(undefined);
  return new HookLog((text) => writeAll(descriptor, nameToBytes(text)));
}

/** Notes what was thrown where nobody foresaw it, and has ended a connection. */
export function connectionFaults(log: HookLog): (thrown: unknown) => void {
  return (thrown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    log.line(`a connection was given up: ${why}`);
  };
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
