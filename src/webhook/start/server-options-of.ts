import type { FlagValues } from '../command-line/parse-flags.ts';
import type { ServerOptions } from '../server/server-options.ts';

/** What the command line says about the answering of requests. */
export function optionsOf(flags: FlagValues): ServerOptions {
  const methods = flags['http-methods'].replaceAll(' ', '').toUpperCase();
  return {
    urlPrefix: flags.urlprefix,
    headers: flags.header.map((text) => {
      const equals = text.indexOf('=');
      return { name: text.slice(0, equals), value: text.slice(equals + 1) };
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
