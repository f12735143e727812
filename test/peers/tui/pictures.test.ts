import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { drawPictures } from '../../../scripts/captures/draw-pictures.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';

const docs = resolve(import.meta.dirname, '../../../docs');

/** The names of pictures that are in one of both and not in the other, or differ. */
function outdated(drawn: ReadonlyMap<string, string>, kept: ReadonlyMap<string, string>): string[] {
  const names = new Set([...drawn.keys(), ...kept.keys()]);
  return [...names].filter((name) => drawn.get(name) !== kept.get(name));
}

async function readPictures(): Promise<ReadonlyMap<string, string>> {
  const files = await readdir(join(docs, 'pictures'));
  const read = async (file: string) =>
    [file.replace('.svg', ''), await readFile(join(docs, 'pictures', file), 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}

describe.skipIf(!hasTmux)('the pictures of the docs', () => {
  let kept: ReadonlyMap<string, string>;
  let drawn: ReadonlyMap<string, string>;
  beforeAll(async () => {
    kept = await readPictures();
    drawn = await drawPictures();
  }, 300_000);

  test('show what the built programs show; `npm run captures` draws them', async () => {
    // On a busy machine a window may be drawn before its last change: once more.
    if (outdated(drawn, kept).length > 0) drawn = await drawPictures();
    expect(outdated(drawn, kept)).toEqual([]);
  }, 300_000);

  test('one with another word, one too many and a missing one are found', () => {
    const home = drawn.get('home')?.replace('>photos<', '>videos<') ?? '';
    const { ncdu: _, ...others } = Object.fromEntries(drawn);
    const changed = new Map(Object.entries({ ...others, home, extra: '' }));
    expect(outdated(drawn, changed).sort()).toEqual(['extra', 'home', 'ncdu']);
  });

  test('each is on a page, and small', async () => {
    const pages = (await readdir(docs)).filter((name) => name.endsWith('.md'));
    const texts = [...pages.map((name) => join(docs, name)), join(docs, '../README.md')];
    const all = (await Promise.all(texts.map((path) => readFile(path, 'utf8')))).join('\n');
    for (const [name, svg] of drawn) {
      expect(all).toContain(`pictures/${name}.svg)`);
      expect(svg.length).toBeLessThan(60_000);
    }
  });
});
