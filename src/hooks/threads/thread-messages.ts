import type { Hook } from '../file/hook.ts';
import type { RuleExplanation } from '../rule/explain-rule.ts';
import type { ServerOptions } from '../server/server-options.ts';
import type { RequestOrigin } from '../server/start-run.ts';
import type { StatusPage } from '../status/status-answer.ts';
import type { PackedRequest } from './packed-request.ts';

/** What a thread is started with. */
export interface ThreadPlan {
  /** Its number; the main thread has 0. */
  readonly thread: number;
  /** The memory of `Activity`. */
  readonly memory: SharedArrayBuffer;
  readonly options: ServerOptions;
  readonly hooks: readonly Hook[];
  readonly limits: {
    readonly maxHeadBytes: number;
    readonly headTimeoutMs: number;
    readonly idleTimeoutMs: number;
  };
  /** Where log lines go; absent: nowhere. */
  readonly logDescriptor: number | undefined;
  /** Pages about the server, which the main thread answers. */
  readonly pages: readonly StatusPage[];
  /** Requests are kept there, for those who ask. */
  readonly keepsRequests: boolean;
  /** Answers are counted there. */
  readonly counts: boolean;
}

/** What is told of a connection that goes from one thread to another. */
interface MovedConnection {
  readonly remoteAddress: string;
  /** What was read of it. */
  readonly bytes: Uint8Array;
  /** It counts among the requests that the thread (not the main one) is answering, until its new place has begun. */
  readonly isBusy: boolean;
}

/** From the main thread. */
export type ToThread =
  /** The descriptor belongs to the thread from now on. */
  | ({ readonly type: 'connection'; readonly fd: number } & MovedConnection)
  /** A connection that the thread gave away is open in the main thread, or lost. */
  | { readonly type: 'taken'; readonly fd: number }
  | { readonly type: 'hooks'; readonly number: number; readonly hooks: readonly Hook[] }
  /** So many of the next connections with a request are to go to the main thread. */
  | { readonly type: 'release'; readonly count: number }
  /** All connections are to go to the main thread. */
  | { readonly type: 'drain' }
  | { readonly type: 'settle'; readonly number: number };

/** To the main thread. */
export type FromThread =
  | { readonly type: 'ready' }
  /** The descriptor stays the thread's until it is told that the connection was taken. */
  | ({
      readonly type: 'connection';
      readonly fd: number;
      readonly why: 'request' | 'balance';
    } & MovedConnection)
  /** Everything up to the message with this number was taken in. */
  | { readonly type: 'done'; readonly number: number }
  /** No connection is left in a thread that was drained. */
  | { readonly type: 'empty' }
  | { readonly type: 'answered'; readonly hook: string; readonly status: number }
  | {
      readonly type: 'refused';
      readonly hook: string;
      readonly origin: RequestOrigin;
      /** Absent where requests are not kept. */
      readonly kept:
        | { readonly request: PackedRequest; readonly explanation: RuleExplanation }
        | undefined;
    };
