import type { RuleExplanation } from '../rule/explain-rule.ts';

/** Where a run stands. */
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
export function isOver(state: RunState): boolean {
  return state !== 'waiting' && state !== 'running';
}

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
