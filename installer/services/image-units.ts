import { mkdir, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import { onFile } from '../apply/file-error.ts';
import { insideRoot } from '../machine/inside-root.ts';
import { UNIT_FOLDERS } from '../machine/other-units.ts';

/** Where `systemctl enable` puts its links. */
const ENABLED = '/etc/systemd/system';
/**
 * Enables units in the system below `root`, which does not run, by the links that `systemctl enable` would make: that
 * program itself follows links in there out of it. Knows `WantedBy=`, which is all that the installer's units have.
 * Rejects with a `SyncerError`.
 */
export async function enableInImage(root: string, units: readonly string[]): Promise<void> {
  for (const unit of units) {
    const { path, text } = await findUnit(root, unit);
    for (const target of wantedBy(text)) {
      const link = join(ENABLED, `${target}.wants`, unit);
      const place = await insideRoot(root, link);
      await onFile('make', link, async () => {
        await mkdir(dirname(place), { recursive: true });
        await symlink(path, place).catch(async (thrown: NodeJS.ErrnoException) => {
          const found = await readlink(place).catch(() => undefined);
          if (thrown.code !== 'EEXIST' || found !== path) throw thrown;
        });
      });
    }
  }
}

/** Undoes `enableInImage`, also for links of other programs. Rejects with a `SyncerError`. */
export async function disableInImage(root: string, units: readonly string[]): Promise<void> {
  const names = await readdir(await insideRoot(root, `${ENABLED}/.`)).catch(() => []);
  for (const folder of names.filter((name) => /\.(?:wants|requires)$/.test(name))) {
    for (const unit of units) {
      const link = join(ENABLED, folder, basename(unit));
      const place = await insideRoot(root, link);
      if ((await readlink(place).catch(() => undefined)) === undefined) continue;
      await onFile('delete', link, () => rm(place));
    }
  }
}

async function findUnit(root: string, unit: string): Promise<{ path: string; text: string }> {
  for (const folder of UNIT_FOLDERS) {
    const path = join(folder, unit);
    const text = await readFile(await insideRoot(root, `${path}/.`), 'utf8').catch(() => undefined);
    if (text !== undefined) return { path, text };
  }
  throw new SyncerError(
    'other',
    `${unit} cannot be enabled: systemd finds no such unit in ${root}`,
  );
}

/** The units that want a unit, by the text of its file. */
function wantedBy(text: string): string[] {
  const section = /^\[Install\]$([\s\S]*?)(?:^\[|(?![\s\S]))/m.exec(text)?.[1] ?? '';
  return [...section.matchAll(/^WantedBy=(.*)$/gm)].flatMap(([, words = '']) =>
    words.split(/\s+/).filter((word) => word !== ''),
  );
}
