import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { commandsPage } from '../../scripts/docs/commands-page.ts';

test('docs/commands.md is up to date: `npm run docs` writes it', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../docs/commands.md'), 'utf8');
  expect(page).toBe(commandsPage(COMMANDS));
});

test('a planted fault is found: a command that has been added, a summary that has changed', () => {
  const page = commandsPage(COMMANDS);
  const [first, ...rest] = COMMANDS;
  if (first === undefined) throw new Error('no commands');
  expect(commandsPage(rest)).not.toBe(page);
  expect(commandsPage([{ ...first, summary: 'Something else' }, ...rest])).not.toBe(page);
});
