import type { Flags } from '../../shell/flags/flag-table.ts';
import { ownCertificate } from '../remotes/http-choices.ts';
import { readCertificates } from '../remotes/transport-options.ts';
import type { QueueNetwork } from './connect.ts';

/** A server without TLS does not answer a client with TLS: longer waits for a connection do not help. */
const LONGEST_CONNECT_MS = 10_000;

/** How the queue is reached, from the flags. Rejects with `config` for an unreadable file. */
export async function queueNetwork(flags: Flags): Promise<QueueNetwork> {
  const file = flags['ca-cert'];
  const clientCertificate = await ownCertificate(flags);
  return {
    connectTimeoutMs: Math.min(flags.contimeout || LONGEST_CONNECT_MS, LONGEST_CONNECT_MS),
    insecureTls: flags['no-check-certificate'],
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(file ? { caCertificates: await readCertificates(file) } : {}),
  };
}
