import type {
  ClientCertificate,
  HttpChoices,
  HttpTrace,
} from '../../backends/http/network-options.ts';
import type { ProxyServer } from '../../backends/http/proxy.ts';
import type { Clock } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { userText } from '../../core/name-bytes.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { type Dump, dumpList, dumpsHttp } from '../../shell/log/dump-list.ts';
import { readHeaders } from './remote-flags.ts';

/** More than any certificate bundle has, in bytes. */
const MOST_CERTIFICATES = 16 * 1024 ** 2;

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
  const choices: HttpChoices = {
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(flags['http-proxy'] ? { proxy: await proxyOf(flags['http-proxy']) } : {}),
    ...(flags.bind ? { localAddress: await addressOf(flags.bind) } : {}),
    ...(flags['disable-http-keep-alives'] ? { singleUse: true } : {}),
    ...(agreeMs === 1000 ? {} : { agreeMs: Math.max(0, agreeMs) }),
    ...(dumpsHttp(dumps) ? { trace: await traceOf(dumps, emit, clock) } : {}),
  };
  return Object.keys(choices).length === 0 ? undefined : choices;
}

async function traceOf(
  dumps: ReadonlySet<Dump>,
  emit: Emit,
  clock: Pick<Clock, 'monotonic'>,
): Promise<HttpTrace> {
  const { httpDump } = await import('./http-dump.ts');
  return httpDump(dumps, emit, () => clock.monotonic());
}

async function proxyOf(text: string): Promise<ProxyServer> {
  const { readProxy } = await import('../../backends/http/proxy.ts');
  return readProxy('--http-proxy', text);
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
export async function readPem(path: string): Promise<string> {
  const { readWhole } = await import('../../system/read-whole.ts');
  return userText(await readWhole(path, { mostBytes: MOST_CERTIFICATES }));
}

/** A host name never ends in a number; getaddrinfo would take `1.5` for 1.0.0.5, as old programs wrote it. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i;

async function addressOf(name: string): Promise<string> {
  // Not imported: every start would load it.
  const { isIP } = process.getBuiltinModule('node:net');
  if (ENDS_IN_NUMBER.test(name) && isIP(name) === 0) {
    throw new SyncerError('config', `--bind: "${name}" is not an IP address or a host name`);
  }
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true }).catch((cause: Error) => {
    const message = `--bind: cannot resolve host ${name}; check the name and your network`;
    throw new SyncerError('config', message, { cause });
  });
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first.address;
  throw new SyncerError('config', `--bind: "${name}" has ${found.length} addresses, not one`);
}
