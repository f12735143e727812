import type { QueueNetwork } from '../../queue/connect.ts';
import type { Flags } from '../flags/flag-table.ts';
import { readCertificates } from '../remotes/transport-options.ts';

/** How the queue is reached, from the flags. Rejects with `config` for an unreadable file. */
export async function queueNetwork(flags: Flags): Promise<QueueNetwork> {
  const file = flags['ca-cert'];
  return {
    connectTimeoutMs: flags.contimeout,
    insecureTls: flags['no-check-certificate'],
    ...(file ? { caCertificates: await readCertificates(file) } : {}),
  };
}
