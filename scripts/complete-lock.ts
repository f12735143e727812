import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { missingOptional } from './lock/missing-optional.ts';

/** To be run after every change of a dependency: adds to package-lock.json what npm left out. */
const path = resolve(import.meta.dirname, '../package-lock.json');
const lock = JSON.parse(await readFile(path, 'utf8'));
const missing = missingOptional(lock.packages);
lock.packages = Object.fromEntries(
  Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en')),
);
if (Object.keys(missing).length > 0) await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${Object.keys(missing).length} packages`);
