import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallerOptions } from '../command-line/read-options.ts';
import { insideRoot } from './inside-root.ts';

/** Where systemd looks for units, the first before the others: systemd.unit(5). */
export const UNIT_FOLDERS = [
  '/etc/systemd/system.control',
  '/run/systemd/system.control',
  '/run/systemd/transient',
  '/run/systemd/generator.early',
  '/etc/systemd/system',
  '/etc/systemd/system.attached',
  '/run/systemd/system',
  '/run/systemd/system.attached',
  '/run/systemd/generator',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
  '/run/systemd/generator.late',
];

/**
 * Units of these names, and drop-ins for them, that systemd would use instead of or beside those in `unitDir`, as
 * notices name them. None where systemd does not look there.
 */
export async function otherUnits(
  { root, unitDir }: Pick<InstallerOptions, 'root' | 'unitDir'>,
  units: readonly string[],
): Promise<string[]> {
  if (!UNIT_FOLDERS.includes(unitDir)) return [];
  const own = await placeOf(root, unitDir);
  const seen = new Set<string>();
  const found: string[] = [];
  for (const folder of UNIT_FOLDERS) {
    const place = await placeOf(root, folder);
    // /lib may be a link to /usr/lib.
    if (place === undefined || seen.has(place)) continue;
    seen.add(place);
    for (const unit of units) {
      const path = join(folder, unit);
      const kind = place === own ? undefined : await kindOf(await insideRoot(root, path));
      if (kind !== undefined) found.push(`the ${kind} ${path}`);
      const parts = await readdir(await insideRoot(root, `${path}.d/.`)).catch(() => []);
      for (const name of parts.filter((one) => one.endsWith('.conf'))) {
        found.push(`the drop-in of the service unit ${join(`${path}.d`, name)}`);
      }
    }
  }
  return found;
}

async function placeOf(root: string, folder: string): Promise<string | undefined> {
  return await realpath(await insideRoot(root, `${folder}/.`)).catch(() => undefined);
}

/** systemd takes a link to the null device, and an empty file, for a mask. */
async function kindOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const isMask = found.isFile()
    ? found.size === 0
    : (await readlink(path).catch(() => '')) === '/dev/null';
  return isMask ? 'mask of the service unit' : 'service unit';
}
