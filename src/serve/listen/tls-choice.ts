import { readFile } from 'node:fs/promises';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';

/** The TLS flags of a server. */
export interface TlsFlags {
  /** Paths of PEM files. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly clientCa: string | undefined;
  readonly minVersion: keyof typeof VERSIONS;
}

/** Node's names of TLS versions. */
const VERSIONS = {
  'tls1.0': 'TLSv1',
  'tls1.1': 'TLSv1.1',
  'tls1.2': 'TLSv1.2',
  'tls1.3': 'TLSv1.3',
} as const;

/**
 * Reads the certificate, its key and the authority for clients. `undefined` without a certificate. Rejects with `usage`
 * for flags that lack others, and for files that cannot be read or used.
 */
export async function readTls(flags: TlsFlags): Promise<TlsOptions | undefined> {
  const { cert, key, clientCa, minVersion } = flags;
  if ((cert === undefined) !== (key === undefined)) {
    throw new SyncerError('usage', 'TLS needs both --cert and --key');
  }
  if (cert === undefined || key === undefined) {
    if (clientCa === undefined) return undefined;
    throw new SyncerError(
      'usage',
      '--client-ca needs --cert and --key: clients show certificates over TLS only',
    );
  }
  const isOld = minVersion === 'tls1.0' || minVersion === 'tls1.1';
  const options: SecureContextOptions = {
    cert: await readPem('cert', cert),
    key: await readPem('key', key),
    minVersion: VERSIONS[minVersion],
    ...(isOld ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    ...(clientCa === undefined ? {} : { ca: await readPem('client-ca', clientCa) }),
  };
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext(options);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new SyncerError('usage', `cannot use --cert ${cert} with --key ${key}: ${why}`, {
      cause,
    });
  }
  const asksClient = clientCa !== undefined;
  return { ...options, requestCert: asksClient, rejectUnauthorized: asksClient };
}

async function readPem(flag: string, path: string): Promise<string> {
  try {
    return userText(await readFile(path));
  } catch (cause) {
    throw new SyncerError('usage', `--${flag}: ${toSyncerError(cause).message}`, { cause });
  }
}
