import { httpClientFor } from '../../http/http-client-for.ts';
import type { Invocation } from '../command.ts';
import { transportOptions } from '../remotes/transport-options.ts';
import type { UrlReader } from './open-url.ts';

/** Opens URLs with the flags for the network. */
export async function openUrlReader({ flags, env, context }: Invocation): Promise<UrlReader> {
  const transport = await transportOptions(flags, env, context.clock, context.emit);
  const { takeTransaction } = transport;
  return {
    http: httpClientFor(transport, context.clock),
    userAgent: transport.userAgent,
    ...(takeTransaction === undefined ? {} : { takeTransaction }),
  };
}
