import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { COMMANDS } from '../commands/index.ts';
import { PACKAGES } from './bundle/programs.ts';
import { commandPages } from './docs/commands-page.ts';
import { withFieldTables } from './docs/field-tables.ts';
import { manualsOf } from './release/package/manual-pages.ts';

/**
 * `npm run docs`: writes the pages about commands, the tables of fields in docs/webhook.md, and into each package.json
 * the list of its man pages, from tables in the code. A test says when they are out of date.
 */
const root = resolve(import.meta.dirname, '..');
const docs = join(root, 'docs');
await rm(join(docs, 'commands'), { recursive: true, force: true });
await mkdir(join(docs, 'commands'));
for (const [path, text] of commandPages(COMMANDS)) await writeFile(join(docs, path), text);

const hooks = join(docs, 'webhook.md');
await writeFile(hooks, withFieldTables(await readFile(hooks, 'utf8')));

for (const { folder, programs } of Object.values(PACKAGES)) {
  const path = join(root, folder, 'package.json');
  const manifest = { ...JSON.parse(await readFile(path, 'utf8')), man: manualsOf(programs) };
  await writeFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}
