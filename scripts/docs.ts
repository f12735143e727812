import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { COMMANDS } from '../commands/index.ts';
import { commandsPage } from './docs/commands-page.ts';

/** `npm run docs`: writes the pages that come from tables in the code. A test says when they are out of date. */
await writeFile(resolve(import.meta.dirname, '../docs/commands.md'), commandsPage(COMMANDS));
