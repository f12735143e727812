import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import syncer from '../../package.json' with { type: 'json' };
import webhook from '../../packages/syncer-webhook/package.json' with { type: 'json' };
import { PACKAGES } from '../../scripts/bundle/programs.ts';
import { commandPages } from '../../scripts/docs/commands-page.ts';
import { manualsOf } from '../../scripts/release/package/manual-pages.ts';

const docs = resolve(import.meta.dirname, '../../docs');

test('the pages about commands are up to date: `npm run docs` writes them', async () => {
  const pages = commandPages(COMMANDS);
  for (const [path, text] of pages) expect(await readFile(resolve(docs, path), 'utf8')).toBe(text);
  const names = (await readdir(resolve(docs, 'commands'))).map((name) => `commands/${name}`);
  expect(['commands.md', ...names].sort()).toEqual([...pages.keys()].sort());
});

test('each package.json lists its man pages: `npm run docs` writes it', () => {
  expect(syncer.man).toEqual(manualsOf(PACKAGES.syncer.programs));
  expect(webhook.man).toEqual(manualsOf(PACKAGES['syncer-webhook'].programs));
});

test('both packages have one version, and the same kind of data', () => {
  const { version, license, repository, homepage, bugs, author, os, engines, dependencies } =
    syncer;
  const shared = {
    version,
    license,
    repository,
    homepage,
    bugs,
    author,
    os,
    engines,
    dependencies,
  };
  expect(webhook).toMatchObject(shared);
});

test('a planted fault is found: a command that has been added, a summary that has changed', () => {
  const pages = commandPages(COMMANDS);
  const [first, ...rest] = COMMANDS;
  if (first === undefined) throw new Error('no commands');
  expect(commandPages(rest)).not.toEqual(pages);
  expect(commandPages([{ ...first, summary: 'Something else' }, ...rest])).not.toEqual(pages);
});
