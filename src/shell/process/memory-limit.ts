import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { Clock, MemoryBudget } from '../../core/context.ts';
import type { Emit } from '../../core/events.ts';
import { memoryBudget } from '../../system/memory-budget.ts';
import { logText } from '../log/log-text.ts';

const MIB = 1024 ** 2;
/** The smallest limit, in bytes. */
const LEAST = 96 * MIB;

/** What the program takes without any content, in bytes: Node, its heap, and the code. */
export const PROGRAM = 72 * MIB;
/** The share of the rest for content and listings: buffers that were just released still take memory. */
const OF_REST = 0.6;
/** The smallest share for content and listings, in bytes. */
const LEAST_CONTENT = 12 * MIB;
/** The share of the memory of a container that a run may use. */
const OF_CONTAINER = 0.6;
/** Above this multiple of the limit for `OVER_MS`, less content is held. */
const OVER = 1.2;
const OVER_MS = 5000;
/** How often the memory of the process is looked at, in milliseconds. */
const LOOK_MS = 500;

/**
 * The limit of the memory of the process, in bytes; `undefined` without one.
 *
 * @param asked `--memory`; -1: off
 * @param container the limit of the container or cgroup, as Node reports it; 0, or more than `machine`: none
 */
export function memoryLimit(
  asked: number | undefined,
  container: number,
  machine: number,
): { readonly limit: number | undefined; readonly isRaised: boolean } {
  if (asked !== undefined) {
    const limit = asked < 0 ? undefined : Math.max(LEAST, asked);
    return { limit, isRaised: limit !== undefined && asked < LEAST };
  }
  const isLimited = container > 0 && container < machine;
  const limit = isLimited ? Math.max(LEAST, container * OF_CONTAINER) : undefined;
  return { limit, isRaised: false };
}

/** The budget of a run, and the limit of its process. */
export interface RunMemory extends MemoryBudget {
  /** Of the process, in bytes. */
  readonly limit: number;
  /** Directories with more entries are sorted on disk. */
  readonly listCutoff: number;
}

/** The share of listings that are sorted, or of what a mount keeps of files that were read. */
const OF_KEPT = 0.25;
/** What an entry of a listing takes on both sides, in bytes. */
const ENTRY = 1024;

/** The budget of a run: of `--memory`, or of the container it runs in. `undefined` if there is no limit. */
export function openMemory(
  asked: number | undefined,
  { clock, emit }: { readonly clock: Clock; readonly emit: Emit },
  rss: () => number = process.memoryUsage.rss,
): RunMemory | undefined {
  const { limit, isRaised } = memoryLimit(asked, process.constrainedMemory(), totalmem());
  if (limit === undefined) return undefined;
  if (isRaised) {
    const text = `--memory: at least ${LEAST / MIB}Mi are needed, which are used`;
    emit(logText('notice', text));
  }
  const content = Math.max(LEAST_CONTENT, Math.floor((limit - PROGRAM) * OF_REST));
  const kept = (limit - PROGRAM) * OF_KEPT;
  const budget = memoryBudget(content);
  let [lookedMs, overMs] = [clock.monotonic(), 0];
  const look = () => {
    const nowMs = clock.monotonic();
    if (nowMs - lookedMs < LOOK_MS) return;
    const isOver = rss() > limit * OVER;
    overMs = isOver ? overMs + nowMs - lookedMs : 0;
    lookedMs = nowMs;
    if (overMs < OVER_MS || budget.limit < content) return;
    budget.limit = Math.max(LEAST_CONTENT, content / 2);
    const text = `The memory is above its limit of ${Math.round(limit / MIB)}Mi: fewer files at the same time`;
    emit(logText('notice', text));
  };
  return {
    limit,
    ofMount: kept,
    listCutoff: Math.floor(kept / ENTRY),
    take(least, most, signal) {
      look();
      return budget.take(least, most, signal);
    },
  };
}

/** The memory of a run, in bytes. */
export interface MemoryUse {
  /** The most that the process had. */
  readonly peak: number;
  /** Absent: there was no limit. */
  readonly limit?: number;
}

/** The peak of this process so far. */
export function memoryUse(limit: number | undefined): MemoryUse {
  let kib: number | undefined;
  try {
    // The peak of `getrusage` includes that of the process that started this one.
    const found = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (found !== null) kib = Number(found[1]);
  } catch {
    // No `/proc` here.
  }
  const peak = (kib ?? process.resourceUsage().maxRSS) * 1024;
  return { peak, ...(limit !== undefined && { limit: Math.round(limit) }) };
}
