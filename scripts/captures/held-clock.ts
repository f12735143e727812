import { promises, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded into a program before its own code (`node --import`): its clock stands still at the time in the file
 * `CAPTURE_CLOCK`, milliseconds since the epoch, until that changes. Intervals of a second or longer follow it, and
 * nothing sees a time before the intervals that are due then have run.
 */
interface HeldInterval {
  readonly act: () => void;
  readonly ms: number;
  dueMs: number;
}

const LOOK_MS = 10;
const file = process.env['CAPTURE_CLOCK'] ?? '';
const intervals: HeldInterval[] = [];
const readClock = () => Number(readFileSync(file, 'utf8'));
const startMs = readClock();
let nowMs = startMs;

function now(): number {
  const ms = readClock();
  while (nowMs < ms) {
    const next = intervals.filter(({ dueMs }) => dueMs <= ms).sort((a, b) => a.dueMs - b.dueMs)[0];
    nowMs = next?.dueMs ?? ms;
    if (next === undefined) break;
    next.dueMs += next.ms;
    next.act();
  }
  return nowMs;
}

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given: readonly [] | readonly [number]) {
    super(given.length === 0 ? now() : given[0]);
  }
  static override now(): number {
    return now();
  }
} as DateConstructor;
performance.now = () => now() - startMs;

const realInterval = setInterval;
globalThis.setInterval = ((act: () => void, ms: number, ...rest: []) => {
  if (ms < 1000) return realInterval(act, ms, ...rest);
  intervals.push({ act, ms, dueMs: now() + ms });
  return realInterval(now, LOOK_MS);
}) as typeof setInterval;

// No mounts of the machine in pictures of the home screen.
const realReadFile = promises.readFile;
promises.readFile = (async (path: string, ...rest: []) =>
  path === '/proc/self/mountinfo' ? Buffer.alloc(0) : realReadFile(path, ...rest)) as never;
// A disk that is always as full.
promises.statfs = (async () => ({ bsize: 2 ** 30, blocks: 250, bfree: 130 })) as never;
syncBuiltinESMExports();
