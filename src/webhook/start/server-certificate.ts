import { access, constants, readFile } from 'node:fs/promises';
import { userText } from '../../core/name-bytes.ts';
import { goErrno } from '../../go/go-texts.ts';
import { readRegularFile } from '../../system/read-whole.ts';
import {
  type CertificatePair,
  certificateFault,
  RenewedCertificate,
} from '../../system/renewed-certificate.ts';
import type { FlagValues } from '../flag-table.ts';
import type { ConnectionLimits, TakeConnection } from '../http/connection.ts';
import { isBeingWritten, watchFiles } from '../server/watch-hooks.ts';
import { tlsConnections, tlsOptions } from './tls-connections.ts';

/** Connections over TLS, whose certificate can be renewed. */
export interface SecureConnections {
  readonly take: TakeConnection;
  /** Serves the certificate that its files hold now; reports if it is another one, or why it cannot be used. */
  renew(): Promise<void>;
  /** Renews it when its files change. Resolves when no change can be missed. */
  watch(): Promise<void>;
}

/** Takes lines about a renewal: `log` those that may be missed, `warn` the others. */
interface CertificateReport {
  readonly log: (line: string) => void;
  readonly warn: (line: string) => void;
}

const STAYS = 'the certificate loaded before stays in use';

/** Serves connections over TLS. Rejects for flags and a certificate that cannot be used. */
export function secureConnections(
  flags: FlagValues,
  pair: CertificatePair,
  serve: TakeConnection,
  { headTimeoutMs }: ConnectionLimits,
  { log, warn }: CertificateReport,
): SecureConnections {
  const options = tlsOptions(flags['tls-min-version'], flags['cipher-suites']);
  const { take, use } = tlsConnections({ ...options, ...pair }, serve, headTimeoutMs);
  const read = () => readCertificate(flags, readRegularFile);
  const certificate = new RenewedCertificate(pair, read, use);
  const renew = async () => {
    try {
      const renewed = await certificate.renew();
      if (renewed !== undefined) log(`loaded the renewed certificate from ${flags.cert}`);
    } catch (thrown) {
      warn(`${(thrown as Error).message}; ${STAYS}`);
    }
  };
  const watch = async () => {
    const paths = [flags.cert, flags.key];
    let isReadable = true;
    for (const path of paths) {
      await access(path, constants.R_OK).catch((thrown: unknown) => {
        isReadable = false;
        warn(`open ${path}: ${goErrno(thrown)}; a renewed certificate needs a restart`);
      });
    }
    const gone = (path: string, why = 'no such file or directory') =>
      warn(`open ${path}: ${why}; ${STAYS}`);
    const isValid = () =>
      read().then(
        () => true,
        () => false,
      );
    await watchFiles(() => paths, renew, gone, { isWritten: isBeingWritten, isValid });
    // They may have changed since the start.
    if (isReadable) await renew();
  };
  return { take, renew, watch };
}

/**
 * Reads certificate and key. Rejects with why they cannot be used.
 *
 * @param read reads a file; by default also a pipe
 */
export async function readCertificate(
  { cert, key }: Pick<FlagValues, 'cert' | 'key'>,
  read: (path: string) => Promise<Buffer> = readFile,
): Promise<CertificatePair> {
  const pem = async (path: string) => {
    try {
      return userText(await read(path));
    } catch (thrown) {
      throw new Error(`open ${path}: ${goErrno(thrown)}`);
    }
  };
  const pair = { cert: await pem(cert), key: await pem(key) };
  const fault = certificateFault(pair, { cert, key });
  if (fault !== undefined) throw new Error(`error loading the certificate: ${fault}`);
  return pair;
}
