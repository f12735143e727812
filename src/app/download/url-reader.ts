import { HttpClient } from '../../http/http-client.ts';
import type { Invocation } from '../command.ts';
import { transportOptions } from '../remotes/transport-options.ts';
import type { UrlReader } from './open-url.ts';

/** What URLs are read with, as the flags for the network want it. */
export async function openUrlReader({ flags, env, context }: Invocation): Promise<UrlReader> {
  const transport = await transportOptions(flags, env, context.clock, context.emit);
  const { caCertificates, takeTransaction } = transport;
  return {
    http: new HttpClient({
      ...transport.http,
      limits: { connectMs: transport.connectTimeoutMs, idleMs: transport.timeoutMs },
      ...(caCertificates === undefined ? {} : { caCertificates }),
      insecureTls: transport.insecureTls,
      env,
      monotonic: () => context.clock.monotonic(),
    }),
    userAgent: transport.userAgent,
    ...(takeTransaction === undefined ? {} : { takeTransaction }),
  };
}
