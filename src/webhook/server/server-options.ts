import type { FlagValues } from '../command-line/flag-table.ts';
import type { HookAnswer } from '../http/answer.ts';

/** What the command line says about the answering of requests. */
export type ServerOptions = Readonly<ReturnType<typeof serverOptions>>;

/** Reads it from the flags. */
export function serverOptions(flags: FlagValues) {
  const methods = flags['http-methods'].replaceAll(' ', '').toUpperCase();
  return {
    urlPrefix: flags.urlprefix,
    /** Of every answer. */
    headers: flags.header.map((text): HookAnswer['headers'][number] => {
      const equals = text.indexOf('=');
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
    /** Without any: all. Commas alone allow nothing. */
    methods: methods === '' ? [] : methods.split(','),
    debug: flags.debug,
    /** Every answer of a hook names its run. */
    nameRuns: flags['run-header'],
    useRequestId: flags['x-request-id'],
    /** In bytes; 0: no limit. */
    requestIdLimit: flags['x-request-id-limit'],
    maxMultipartMem: flags['max-multipart-mem'],
    /** Bytes of a body that are kept in memory; a longer one is refused. */
    maxBody: flags['max-body'],
  };
}
