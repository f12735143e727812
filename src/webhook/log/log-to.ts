import { writeSync } from 'node:fs';
import { nameToBytes } from '../../core/name-bytes.ts';
import { HookLog } from './hook-log.ts';

/** Milliseconds that a line waits for a slow reader. */
const PATIENCE_MS = 1000;

/** The log that goes to an open file; nowhere without one. */
export function logTo(descriptor: number | undefined): HookLog {
  if (descriptor === undefined) return new HookLog(undefined);
  let patienceMs = PATIENCE_MS;
  return new HookLog((text) => {
    const isWritten = writeAll(descriptor, nameToBytes(text), patienceMs);
    // A reader that has stopped delays the server once, not at every line.
    patienceMs = isWritten ? PATIENCE_MS : 0;
  });
}

/** Logs unexpected errors that ended a connection. */
export function connectionFaults(log: HookLog): (thrown: unknown) => void {
  return (thrown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    log.line(`connection closed after an internal error: ${why}`);
  };
}

/**
 * Writes synchronously. A log that cannot be written must not stop the server: false if something was not written.
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
