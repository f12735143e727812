import { readWhole } from '../../src/backends/http/answer.ts';
import { HttpClient } from '../../src/backends/http/http-client.ts';
import { originOf } from '../../src/backends/http/http-request.ts';
import type { TransportOptions } from '../../src/backends/http/network-options.ts';
import { SyncerError } from '../../src/core/errors.ts';

/** The description of a version has a few kilobytes. */
const MOST_BYTES = 1024 ** 2;

/**
 * The newest version in the npm registry (`$npm_config_registry`); `undefined` if the package there is another
 * program. Rejects if the registry does not respond.
 */
export async function newestVersion(
  transport: TransportOptions,
  clock: { monotonic(): number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const registry = transport.env['npm_config_registry'] || 'https://registry.npmjs.org/';
  const url = new URL('syncer/latest', registry.replace(/\/?$/, '/'));
  const http = new HttpClient(transport, clock);
  try {
    const origin = originOf(url);
    const headers = { host: origin.host, 'user-agent': transport.userAgent };
    const request = { method: 'GET', origin, target: url.pathname, headers };
    const answer = await http.send({ ...request, body: undefined, asksFirst: false }, signal);
    const body = await readWhole(answer, MOST_BYTES);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) {
      throw new SyncerError('server', `${origin.host} answered with status ${answer.status}`);
    }
    return versionOf(body.toString());
  } finally {
    http.close();
  }
}

/** The registry may have another program of the same name. */
function versionOf(text: string): string | undefined {
  const { version, bin } = JSON.parse(text) as { version?: unknown; bin?: object };
  const isOurs = bin !== undefined && 'syncer' in bin && 'webhook-installer' in bin;
  return isOurs && typeof version === 'string' ? version : undefined;
}
