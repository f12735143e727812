import type { FlagValues } from '../command-line/flag-table.ts';
import type { HookAnswer } from '../http/answer.ts';
import type { StatusPage } from '../status/status-handler.ts';

/** What the command line says about the answering of requests. */
export interface ServerOptions {
  readonly urlPrefix: string;
  /** Of every answer. */
  readonly headers: HookAnswer['headers'];
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

/** Reads them from the flags. */
export function serverOptions(flags: FlagValues): ServerOptions {
  const methods = flags['http-methods'].replaceAll(' ', '').toUpperCase();
  return {
    urlPrefix: flags.urlprefix,
    headers: flags.header.map((text) => {
      const equals = text.indexOf('=');
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
    // Commas alone allow nothing.
    methods: methods === '' ? [] : methods.split(','),
    debug: flags.debug,
    nameRuns: flags['run-header'],
    useRequestId: flags['x-request-id'],
    requestIdLimit: flags['x-request-id-limit'],
    maxMultipartMem: flags['max-multipart-mem'],
    maxBody: flags['max-body'],
  };
}

/** The pages about the server that are answered beside the hooks. */
export function statusPages(flags: FlagValues): StatusPage[] {
  return (['healthz', 'metrics'] as const).filter((page) => flags[page]);
}
