import { readFileSync } from 'node:fs';

/** The memory of a run, in bytes. */
export interface MemoryUse {
  /** The most that the process had. */
  readonly peak: number;
  /** Absent: there was no limit. */
  readonly limit?: number;
}

/** The peak of this process so far. */
export function memoryUse(limit: number | undefined): MemoryUse {
  return { peak: peak(), ...(limit !== undefined && { limit: Math.round(limit) }) };
}

/** The peak of `getrusage` includes that of the process that started this one; the one in `/proc` does not. */
function peak(): number {
  try {
    const kib = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kib !== undefined) return Number(kib) * 1024;
  } catch {
    // No `/proc` here.
  }
  return process.resourceUsage().maxRSS * 1024;
}
