import type { GoMap } from '../../go/go-value.ts';

/** What a rule and a command can ask of a request. */
export interface HookRequest {
  readonly method: string;
  /** `ip:port` of the connection. */
  readonly remoteAddress: string;
  /** First value of each, by canonical name. */
  readonly headers: GoMap;
  readonly query: GoMap;
  /** `NIL_MAP` where there is none. */
  readonly payload: GoMap;
  readonly body: Buffer;
}
