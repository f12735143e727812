import { readFile } from 'node:fs/promises';

/** What the kernel calls a socket that waits for connections. */
const LISTENING = '0A';

/**
 * Whether a table of the kernel, `/proc/net/tcp` or `/proc/net/tcp6`, holds a listener on this port, at whatever
 * address. Pure.
 */
export function hasListener(table: string, port: number): boolean {
  return table
    .split('\n')
    .slice(1)
    .some((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/);
      return state === LISTENING && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    });
}

/** Whether any program of this machine listens on a TCP port. */
export async function isPortTaken(port: number): Promise<boolean> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return tables.some((table) => hasListener(table, port));
}
