import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { foldersWithoutIntegrity, withIntegrity } from './lock/integrity.ts';
import { type LockedPackages, missingOptional } from './lock/missing-optional.ts';

/** To be run after every change of a dependency: adds to package-lock.json what npm left out. */
const path = resolve(import.meta.dirname, '../package-lock.json');
const before = await readFile(path, 'utf8');
const lock: { packages: LockedPackages } = JSON.parse(before);
const missing = missingOptional(lock.packages);
const sorted = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) =>
  a.localeCompare(b, 'en'),
);
lock.packages = await withIntegrity(Object.fromEntries(sorted), askRegistry);
const after = `${JSON.stringify(lock, null, 2)}\n`;
if (after !== before) await writeFile(path, after);
const unchecked = foldersWithoutIntegrity(lock.packages).length;
console.log(`added ${Object.keys(missing).length} packages; ${unchecked} have no checksum`);

/** What npm knows of the checksum of `name@version`. */
async function askRegistry(spec: string): Promise<string | undefined> {
  const asked = promisify(execFile)('npm', ['view', spec, 'dist.integrity']);
  const text = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  return text === '' ? undefined : text;
}
