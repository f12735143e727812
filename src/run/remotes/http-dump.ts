import type { Origin } from '../../backends/http/http-request.ts';
import type { HttpTrace, TracedBody } from '../../backends/http/network-options.ts';
import { toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import type { Dump } from '../../shell/log/dump-list.ts';
import { KnownSecrets } from '../../shell/log/known-secrets.ts';
import { shownBody, shownHead } from '../../shell/log/secret-fields.ts';

const BEFORE_REQUEST = '>'.repeat(60);
const BEFORE_ANSWER = '<'.repeat(60);

/**
 * Logs requests and responses at level `debug`, as rclone's `--dump` does. Credentials are hidden without `--dump
 * auth`. With `errors`, only requests that fail in a way that is retried.
 *
 * @param now a monotonic clock, in milliseconds
 */
export function httpDump(dumps: ReadonlySet<Dump>, emit: Emit, now: () => number): HttpTrace {
  const showsSecrets = dumps.has('auth');
  const onlyErrors = dumps.has('errors');
  const isPlain = onlyErrors && !dumps.has('curl') && !dumps.has('trace');
  const showsHeads = HEADS.some((dump) => dumps.has(dump)) || isPlain;
  const log = (text: string) => {
    const fields = { text, lines: true, showsSecrets };
    emit({ type: 'log', level: 'debug', code: 'message', fields });
  };
  const tell = (separator: string, title: string, text: string) => {
    for (const line of [separator, title, text, separator]) log(line);
  };
  /** The requests under way. */
  const sent = new Map<number, Sent>();
  const shown = (secrets: KnownSecrets, head: string, text: string) => {
    if (showsSecrets) return [head, text] as const;
    return [
      shownHead(head, (secret) => secrets.add(secret)),
      secrets.hide(shownBody(text)),
    ] as const;
  };
  const end = (id: number, isFailed: boolean, told: (request: Sent) => string) => {
    const request = sent.get(id) ?? { secrets: new KnownSecrets(), startMs: now(), held: [] };
    sent.delete(id);
    if (onlyErrors && !isFailed) return;
    for (const show of request.held) show();
    if (showsHeads) tell(BEFORE_ANSWER, `HTTP RESPONSE (req ${id})`, told(request));
  };
  return {
    showsSecrets,
    wantsRequestBodies: ['bodies', 'requests', 'curl'].some((dump) => dumps.has(dump as Dump)),
    wantsAnswerBodies: dumps.has('bodies') || dumps.has('responses'),
    request(id, plainHead, body, to) {
      const request: Sent = { secrets: new KnownSecrets(), startMs: now(), held: [] };
      sent.set(id, request);
      const all = body === undefined ? '' : bodyText({ start: body, size: body.length });
      const [head, text] = shown(request.secrets, plainHead, all);
      const show = () => {
        const hasBody = dumps.has('bodies') || dumps.has('requests');
        const whole = head + (hasBody ? text : '');
        if (showsHeads) tell(BEFORE_REQUEST, `HTTP REQUEST (req ${id})`, whole);
        if (dumps.has('curl')) log(`HTTP REQUEST: ${curlCommand(head, text, to)}`);
      };
      if (onlyErrors) request.held.push(show);
      else show();
    },
    answer(id, head, body) {
      const status = Number(/^HTTP\/1\.\d (\d+)/.exec(head)?.[1]);
      end(id, status === 429 || status >= 500, ({ secrets }) =>
        shown(secrets, head, body === undefined ? '' : bodyText(body)).join(''),
      );
    },
    failure(id, error) {
      end(id, true, () => `Error: ${toSyncerError(error).message}`);
    },
    connection: dumps.has('trace')
      ? (id, event) => {
          const request = sent.get(id);
          const ms = (now() - (request?.startMs ?? now())).toFixed(3).padStart(9);
          const show = () => log(`HTTP TRACE (req ${id}) ${ms}ms: ${event}`);
          if (onlyErrors) request?.held.push(show);
          else show();
        }
      : undefined,
  };
}

/** The dumps that show heads. */
const HEADS: readonly Dump[] = ['headers', 'bodies', 'requests', 'responses', 'auth'];

/** A request without its response. */
interface Sent {
  /** What it logs in with: a response may quote it. */
  readonly secrets: KnownSecrets;
  readonly startMs: number;
  /** What is logged if it fails. */
  readonly held: (() => void)[];
}

/** A request as a command for curl. A body that is not text is read from FILE. */
function curlCommand(head: string, body: string, { secure, host }: Origin): string {
  const [first = '', ...lines] = head.trimEnd().split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  const headers = lines.filter((line) => !/^(?:host|content-length|connection):/i.test(line));
  const hasBody = lines.some((line) =>
    /^(?:content-length: *[1-9]|transfer-encoding:)/i.test(line),
  );
  const isText = body !== '' && !/[\0\ufffd]/.test(body);
  return [
    'curl',
    ...(method === 'HEAD' ? ['--head'] : ['-X', quoted(method)]),
    ...(hasBody ? ['--data-binary', isText ? quoted(body) : '@FILE'] : []),
    ...headers.flatMap((line) => ['-H', quoted(line)]),
    quoted(`http${secure ? 's' : ''}://${host}${target}`),
  ].join(' ');
}

/** In single quotes, for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function bodyText({ start, size }: TracedBody): string {
  const more = size - start.length;
  return start.toString('utf8') + (more > 0 ? `\n[${more} more bytes]` : '');
}
