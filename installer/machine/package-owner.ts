import { readdir, readFile } from 'node:fs/promises';
import { insideRoot } from './inside-root.ts';

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
