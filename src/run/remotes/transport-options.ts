import type { Origin } from '../../backends/http/http-request.ts';
import type {
  ClientCertificate,
  HttpChoices,
  HttpTrace,
  TracedBody,
  TransportOptions,
} from '../../backends/http/network-options.ts';
import type { Clock } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { userText } from '../../core/name-bytes.ts';
import { Takers } from '../../core/token-bucket.ts';
import { goErrno } from '../../go/go-texts.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { type Dump, dumpList, dumpsHttp } from '../../shell/log/dump-list.ts';
import { KnownSecrets } from '../../shell/log/known-secrets.ts';
import { shownBody, shownHead } from '../../shell/log/secret-fields.ts';
import { VERSION } from '../../shell/version.ts';
import { readHeaders } from './remote-flags.ts';

/** The backends' network settings, from the flags. Rejects with `config` for an unreadable file. */
export async function transportOptions(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  clock: Clock,
  emit: Emit,
): Promise<TransportOptions> {
  const caFile = flags['ca-cert'];
  const http = await httpChoices(flags, emit, clock);
  const headersOf = (key: keyof TransportOptions, flag: 'header-upload' | 'header-download') =>
    flags[flag].length === 0 ? {} : { [key]: readHeaders(`--${flag}`, flags[flag]) };
  const { tpslimit, 'tpslimit-burst': burst } = flags;
  const { transactionLimit } = tpslimit > 0 ? await import('./rate-limits.ts') : {};
  return {
    timeoutMs: flags.timeout,
    connectTimeoutMs: flags.contimeout,
    lowLevelRetries: flags['low-level-retries'],
    ...(caFile ? { caCertificates: await readCertificates(caFile) } : {}),
    insecureTls: flags['no-check-certificate'],
    userAgent: flags['user-agent'] || `syncer/${VERSION}`,
    takeTransaction: transactionLimit?.(tpslimit, burst, clock),
    http,
    ...(flags['max-connections'] > 0 ? { takeSlot: requestSlots(flags['max-connections']) } : {}),
    ...headersOf('uploadHeaders', 'header-upload'),
    ...headersOf('downloadHeaders', 'header-download'),
    env,
  };
}

/** `--max-connections`: a function that waits for one of `most` slots and resolves to what frees it. */
export function requestSlots(most: number): NonNullable<TransportOptions['takeSlot']> {
  const waiting = new Takers();
  let free = most;
  const release = () => {
    if (waiting.first === undefined) free++;
    else waiting.passFirst();
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (free > 0) free--;
    else await waiting.wait(1, signal);
    return release;
  };
}

/** A PEM file as text. Rejects with `config` if it cannot be read. */
export async function readCertificates(file: string): Promise<string> {
  try {
    const text = await readPem(file);
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (thrown) {
    const message = `cannot read the certificates of --ca-cert ${file}: ${goErrno(thrown)}`;
    throw new SyncerError('config', message, { cause: thrown });
  }
  throw new SyncerError('config', `--ca-cert ${file} contains no PEM certificate`);
}

/**
 * The HTTP settings of the flags; `undefined` if there are none. Rejects with `config` for unreadable files and
 * unresolved names, and with `usage` for an invalid header.
 */
export async function httpChoices(
  flags: Flags,
  emit: Emit,
  clock: Pick<Clock, 'monotonic'>,
): Promise<HttpChoices | undefined> {
  const headers = readHeaders('--header', flags.header);
  const dumps = dumpList(flags);
  const clientCertificate = await ownCertificate(flags);
  const agreeMs = flags['expect-continue-timeout'];
  const { 'http-proxy': proxy = '' } = flags;
  const { readProxy } = proxy === '' ? {} : await import('../../backends/http/proxy.ts');
  const choices: HttpChoices = {
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(readProxy && { proxy: readProxy('--http-proxy', proxy) }),
    ...(flags.bind ? { localAddress: await addressOf(flags.bind) } : {}),
    ...(flags['disable-http-keep-alives'] ? { singleUse: true } : {}),
    ...(agreeMs === 1000 ? {} : { agreeMs: Math.max(0, agreeMs) }),
    ...(dumpsHttp(dumps) ? { trace: httpDump(dumps, emit, () => clock.monotonic()) } : {}),
  };
  return Object.keys(choices).length === 0 ? undefined : choices;
}

/** The certificate of `--client-cert` with its key; `undefined` without one. Rejects with `config` if it cannot be used. */
export async function ownCertificate(flags: Flags): Promise<ClientCertificate | undefined> {
  const { 'client-cert': certFile, 'client-key': keyFile, 'client-pass': obscured } = flags;
  if (!certFile && !keyFile) return undefined;
  if (!certFile || !keyFile) {
    throw new SyncerError('config', 'both --client-cert and --client-key must be set');
  }
  try {
    const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)]);
    const { createSecureContext } = await import('node:tls');
    const { reveal } = await import('../../config/obscure.ts');
    const passphrase = obscured ? { passphrase: reveal(obscured) } : {};
    createSecureContext({ cert, key, ...passphrase });
    return { cert, key, ...passphrase };
  } catch (cause) {
    const message = `cannot load --client-cert and --client-key: ${toSyncerError(cause).message}`;
    throw new SyncerError('config', message, { cause });
  }
}

/** The text of a file of certificates or keys. */
async function readPem(path: string): Promise<string> {
  const { readWhole } = await import('../../system/read-whole.ts');
  // More than any bundle of certificates has.
  return userText(await readWhole(path, { mostBytes: 16 * 1024 ** 2 }));
}

async function addressOf(name: string): Promise<string> {
  // Not imported: every start would load it.
  const { isIP } = process.getBuiltinModule('node:net');
  // A host name never ends in a number; getaddrinfo would take `1.5` for 1.0.0.5, as old programs wrote it.
  if (/(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(name) && isIP(name) === 0)
    throw new SyncerError('config', `--bind: "${name}" is not an IP address or a host name`);
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true }).catch((cause: Error) => {
    const message = `--bind: cannot resolve host ${name}; check the name and your network`;
    throw new SyncerError('config', message, { cause });
  });
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first.address;
  throw new SyncerError('config', `--bind: "${name}" has ${found.length} addresses, not one`);
}

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
  const heads = ['headers', 'bodies', 'requests', 'responses', 'auth'] as const;
  const showsHeads = isPlain || heads.some((dump) => dumps.has(dump));
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
    const shownAs = shownHead(head, (secret) => secrets.add(secret));
    return [shownAs, secrets.hide(shownBody(text))] as const;
  };
  const end = (id: number, isFailed: boolean, told: (request: Sent) => string) => {
    const request = sent.get(id) ?? { secrets: new KnownSecrets(), startMs: now(), held: [] };
    sent.delete(id);
    if (onlyErrors && !isFailed) return;
    for (const show of request.held) show();
    if (showsHeads) tell('<'.repeat(60), `HTTP RESPONSE (req ${id})`, told(request));
  };
  return {
    showsSecrets,
    wantsRequestBodies: (['bodies', 'requests', 'curl'] as const).some((dump) => dumps.has(dump)),
    wantsAnswerBodies: dumps.has('bodies') || dumps.has('responses'),
    request(id, plainHead, body, to) {
      const request: Sent = { secrets: new KnownSecrets(), startMs: now(), held: [] };
      sent.set(id, request);
      const all = body === undefined ? '' : bodyText({ start: body, size: body.length });
      const [head, text] = shown(request.secrets, plainHead, all);
      const show = () => {
        const hasBody = dumps.has('bodies') || dumps.has('requests');
        const whole = head + (hasBody ? text : '');
        if (showsHeads) tell('>'.repeat(60), `HTTP REQUEST (req ${id})`, whole);
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
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function bodyText({ start, size }: TracedBody): string {
  const more = size - start.length;
  return start.toString('utf8') + (more > 0 ? `\n[${more} more bytes]` : '');
}
