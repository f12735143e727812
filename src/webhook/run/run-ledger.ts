import type { HookRequest } from '../parameter/parameter-value.ts';
import type { RuleExplanation } from '../rule/judge-rule.ts';

/** The end of a stream of bytes. */
class OutputTail {
  readonly #max: number;
  #chunks: Buffer[] = [];
  #size = 0;

  /** @param max bytes that are kept */
  constructor(max: number) {
    this.#max = max;
  }

  push(chunk: Buffer): void {
    // A small chunk may be a view of a large piece of memory.
    this.#chunks.push(chunk.length < 4096 ? Buffer.from(chunk) : chunk);
    this.#size += chunk.length;
    if (this.#size <= 2 * this.#max) return;
    this.#chunks = [this.bytes()];
    this.#size = this.#max;
  }

  /** What is kept. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.length > this.#max ? Buffer.from(all.subarray(-this.#max)) : all;
  }
}

/** What happens to runs, for those who watch. */
export type RunEvent =
  | { readonly type: 'run'; readonly run: RunRecord }
  | { readonly type: 'output'; readonly id: string; readonly chunk: Buffer };

/** What a ledger keeps. */
interface LedgerLimits {
  /** Runs that are over. */
  readonly maxOver: number;
  /** Requests with larger bodies are not kept for another run. */
  readonly maxRequestBytes: number;
  /** Bytes of a run's output that are kept: its end. */
  readonly maxOutputBytes: number;
}

/** Runs that are going on, and the last ones that are over. */
export class RunLedger {
  readonly #limits: LedgerLimits;
  /** By id; the request is absent where it was too large to be kept. */
  readonly #runs = new Map<
    string,
    { record: RunRecord; readonly tail: OutputTail; readonly request: HookRequest | undefined }
  >();
  readonly #watchers = new Set<(event: RunEvent) => void>();
  #over = 0;

  constructor(limits: LedgerLimits) {
    this.#limits = limits;
  }

  /** Enters a run. */
  open(record: RunRecord, request: HookRequest): void {
    const keeps = request.body.length <= this.#limits.maxRequestBytes;
    const tail = new OutputTail(this.#limits.maxOutputBytes);
    this.#runs.set(record.id, { record, tail, request: keeps ? request : undefined });
    this.#changed(record);
  }

  /** Enters what has become of a run. */
  change(id: string, change: Partial<RunRecord>): void {
    const kept = this.#runs.get(id);
    if (kept === undefined) return;
    kept.record = { ...kept.record, ...change };
    this.#changed(kept.record);
  }

  /** Takes what a run's command wrote. */
  output(id: string, chunk: Buffer): void {
    this.#runs.get(id)?.tail.push(chunk);
    this.#tell({ type: 'output', id, chunk });
  }

  /** All runs that are known, the newest first. */
  list(): RunRecord[] {
    return [...this.#runs.values()].map(({ record }) => record).reverse();
  }

  /** A run, its request if that is kept, and the end of what its command wrote. */
  details(id: string) {
    const kept = this.#runs.get(id);
    return kept && { run: kept.record, request: kept.request, output: kept.tail.bytes() };
  }

  /** Calls `watcher` for everything that happens from now on. @returns ends that */
  watch(watcher: (event: RunEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  #changed(record: RunRecord): void {
    if (isOver(record.state)) {
      this.#over++;
      for (const [id, oldest] of this.#runs) {
        if (this.#over <= this.#limits.maxOver) break;
        if (!isOver(oldest.record.state)) continue;
        this.#runs.delete(id);
        this.#over--;
      }
    }
    this.#tell({ type: 'run', run: record });
  }

  #tell(event: RunEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

export type RunState =
  | 'waiting'
  | 'running'
  | 'done'
  | 'failed'
  /** A newer one ran in its place. */
  | 'replaced'
  /** The queue was full, too many came at a time, or the server stopped. */
  | 'dropped'
  /** The hook's rule said no. */
  | 'refused';

/** Whether nothing will happen any more. */
export const isOver = (state: RunState): boolean => state !== 'waiting' && state !== 'running';

/** What is known of a run, or of a request that started none. Times are milliseconds since 1970. */
export interface RunRecord {
  readonly id: string;
  readonly hook: string;
  /** The request's id in the log. */
  readonly requestId: string;
  readonly method: string;
  /** Without secrets. */
  readonly target: string;
  /** `ip:port`. */
  readonly remoteAddress: string;
  readonly state: RunState;
  readonly receivedMs: number;
  readonly startedMs?: number;
  readonly endedMs?: number;
  /** What went wrong, or why nothing was started. */
  readonly failure?: string;
  /** Why the rule said no. */
  readonly explanation?: RuleExplanation;
  /** The run whose request this one has. */
  readonly rerunOf?: string;
}
