import type { SeenRequest } from './fault.ts';

/** A request that came, and the status it was answered with. */
export interface RecordedRequest extends SeenRequest {
  /** Absent where no answer was begun. */
  status?: number;
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

  /** Forgets what came so far. */
  clear(): void {
    this.requests.length = 0;
  }
}
