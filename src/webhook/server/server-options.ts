import type { NamedValue } from '../file/hook.ts';

/** What the command line says about the answering of requests. */
export interface ServerOptions {
  readonly urlPrefix: string;
  readonly headers: readonly NamedValue[];
  /** Upper-cased; without any: all. */
  readonly methods: readonly string[];
  readonly debug: boolean;
  readonly useRequestId: boolean;
  /** In bytes; 0: no limit. */
  readonly requestIdLimit: number;
  readonly maxMultipartMem: number;
  /** Every answer of a hook names its run. */
  readonly nameRuns: boolean;
  /** Bytes of a body that are kept in memory; a longer one is refused. */
  readonly maxBody: number;
}
