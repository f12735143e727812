import { writeSync } from 'node:fs';
import { nameToBytes } from '../../core/name-bytes.ts';
import { HookLog } from './hook-log.ts';

/** How long lines wait for a reader that is behind, in milliseconds. */
const PATIENCE_MS = 1000;

/** The log that goes to an open file; nowhere without one. */
export function logTo(descriptor: number | undefined): HookLog {
  if (descriptor === undefined) return new HookLog(undefined);
  let patienceMs = PATIENCE_MS;
  return new HookLog((text) => {
    const isWritten = writeAll(descriptor, nameToBytes(text), patienceMs);
    // A reader that has gone to sleep holds the server up once, and not at every line.
    patienceMs = isWritten ? PATIENCE_MS : 0;
  });
}

/** Notes what was thrown where nobody foresaw it, and has ended a connection. */
export function connectionFaults(log: HookLog): (thrown: unknown) => void {
  return (thrown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    log.line(`connection closed after an internal error: ${why}`);
  };
}

/**
 * Writes lines before anything else happens. A log that cannot be written must not stop the answering: false where
 * something was left out.
 */
function writeAll(descriptor: number, bytes: Buffer, patienceMs: number): boolean {
  let waitedMs = 0;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN' || waitedMs >= patienceMs) {
        return false;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      waitedMs++;
    }
  }
  return true;
}
