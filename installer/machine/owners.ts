import { readdir, readFile } from 'node:fs/promises';
import { insideRoot } from './inside-root.ts';

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

/**
 * The Debian package that one of these files belongs to, or `undefined`. Such a file is the package manager's to
 * replace and to remove.
 */
export async function packageOwner(
  root: string,
  paths: readonly string[],
): Promise<string | undefined> {
  const lists = await insideRoot(root, '/var/lib/dpkg/info/.');
  const names = await readdir(lists).catch(() => []);
  // Where /lib is a link to /usr/lib, a package may name either.
  const wanted = paths.flatMap((path) => [path, path.replace(/^\/lib\//, '/usr/lib/')]);
  for (const name of names.filter((one) => one.endsWith('.list'))) {
    const text = await readFile(`${lists}/${name}`, 'utf8').catch(() => '');
    if (wanted.some((path) => `\n${text}`.includes(`\n${path}\n`))) {
      return name.slice(0, -'.list'.length).split(':')[0];
    }
  }
  return undefined;
}
