import type { TransportOptions } from '../../backends/http/network-options.ts';
import type { Clock } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { Takers } from '../../core/token-bucket.ts';
import { goErrno } from '../../go/go-texts.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { VERSION } from '../../shell/version.ts';
import { httpChoices, readPem } from './http-choices.ts';
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
    ...headersOf('uploadHeaders', '--header-upload', flags['header-upload']),
    ...headersOf('downloadHeaders', '--header-download', flags['header-download']),
    env,
  };
}

function headersOf(
  key: 'uploadHeaders' | 'downloadHeaders',
  flag: string,
  lines: readonly string[],
): Partial<TransportOptions> {
  return lines.length === 0 ? {} : { [key]: readHeaders(flag, lines) };
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
