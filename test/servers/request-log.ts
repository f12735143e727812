import type { SeenRequest } from './fault.ts';

/** A request that came, and the status it was answered with. */
export interface RecordedRequest extends SeenRequest {
  /** Absent where no answer was begun. */
  status?: number;
  /** How much of the body came, with the framing of `aws-chunked`. */
  bodyBytes: number;
}

/** Every request that came, in order. */
export class RequestLog {
  readonly requests: RecordedRequest[] = [];

  /** How many requests of an operation came; of all operations where none is named. */
  count(operation?: SeenRequest['operation']): number {
    if (operation === undefined) return this.requests.length;
    return this.requests.filter((request) => request.operation === operation).length;
  }

  /** How many came of each operation. */
  counts(): Partial<Record<SeenRequest['operation'], number>> {
    const counts: Partial<Record<SeenRequest['operation'], number>> = {};
    for (const { operation } of this.requests) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  /** How many bytes of bodies came with requests of an operation: what was sent. A copy inside the store has none. */
  bodyBytes(operation: SeenRequest['operation']): number {
    const chosen = this.requests.filter((request) => request.operation === operation);
    return chosen.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
  }

  /** Forgets what came so far. */
  clear(): void {
    this.requests.length = 0;
  }
}
