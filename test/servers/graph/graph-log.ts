import type { GraphOperation, SeenGraphRequest } from './graph-fault.ts';

/** A request that came, and how it was answered. */
export interface RecordedGraphRequest extends SeenGraphRequest {
  /** Absent where no answer was begun. */
  status?: number;
}

/** Every request that came, in order. */
export class GraphLog {
  readonly requests: RecordedGraphRequest[] = [];

  /** Requests of an operation, or of all. */
  of(operation?: GraphOperation): RecordedGraphRequest[] {
    if (operation === undefined) return [...this.requests];
    return this.requests.filter((request) => request.operation === operation);
  }

  /** How many requests of an operation came; of all operations where none is named. */
  count(operation?: GraphOperation): number {
    return this.of(operation).length;
  }

  /** How many came of each operation. */
  counts(): Partial<Record<GraphOperation, number>> {
    const counts: Partial<Record<GraphOperation, number>> = {};
    for (const { operation } of this.requests) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  /** How many were answered with a status. */
  countStatus(status: number): number {
    return this.requests.filter((request) => request.status === status).length;
  }

  /** Forgets what came so far. */
  clear(): void {
    this.requests.length = 0;
  }
}
