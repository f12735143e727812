import { readFile } from 'node:fs/promises';
import type { HttpAnswer } from '../../src/backends/http/answer.ts';
import { HttpClient } from '../../src/backends/http/http-client.ts';
import { systemClock } from '../../src/core/context.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { userText } from '../../src/core/name-bytes.ts';
import { MOST_REDIRECTS, requestOf } from '../../src/shell/url-request.ts';
import { VERSION } from '../../src/shell/version.ts';
import { onFile } from '../apply/file-error.ts';
import type { InstallerOptions } from '../command-line/read-options.ts';

/** Asks the release host. */
export interface ReleaseClient {
  /** The answer at the end of all redirects. Rejects as the HTTP client does, and with the signal's reason. */
  ask(method: 'GET' | 'HEAD', url: string, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

/** An HTTP client for releases, with the proxies of the environment. */
export async function releaseClient(
  { timeouts, caCert }: InstallerOptions,
  env: NodeJS.ProcessEnv,
): Promise<ReleaseClient> {
  const network = {
    connectTimeoutMs: timeouts.connectMs,
    timeoutMs: timeouts.stallMs,
    ...(caCert !== undefined && {
      caCertificates: await onFile('read', caCert, async () => userText(await readFile(caCert))),
    }),
    insecureTls: false,
    env,
  };
  const http = new HttpClient(network, systemClock);
  return {
    async ask(method, start, signal) {
      let url = new URL(start);
      for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
        const request = { ...requestOf(url, `webhook-installer/${VERSION}`), method };
        const answer = await http.send(request, signal).catch((thrown: unknown) => {
          const { code, message, cause } = toSyncerError(thrown);
          // It names a flag that there is not.
          const known = message.replace(/, --no-check-certificate .*$/, '');
          throw new SyncerError(code, known, { cause });
        });
        const next = redirect(answer, url);
        if (next === undefined) return answer;
        answer.discard();
        url = next;
      }
      throw new SyncerError('bad-answer', `${start}: more than ${MOST_REDIRECTS} redirects`);
    },
    close: () => http.close(),
  };
}

/** Where an answer sends the client on to. A connection without TLS is never the way on from one with. */
function redirect({ status, headers }: HttpAnswer, from: URL): URL | undefined {
  const location = headers['location'];
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isSafe =
    to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:');
  if (to !== undefined && isSafe) return to;
  throw new SyncerError('bad-answer', `${from.host} redirects to an unsupported URL`);
}
