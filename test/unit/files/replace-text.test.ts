import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteLeftTexts, isLeftText, replaceText } from '../../../src/files/replace-text.ts';
import { ownMark } from '../../../src/kit/owner-state.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'replace-text-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('two replacements at the same time leave one of both texts, whole', async () => {
  const path = join(dir, 'a.json');
  const texts = ['a', 'b'].map((letter) => letter.repeat(4_000_000));
  await Promise.all(texts.map((text) => replaceText(path, text)));
  expect(texts).toContain(await readFile(path, 'utf8'));
  expect(await readdir(dir)).toEqual(['a.json']);
});

test('what failed is deleted', async () => {
  await expect(replaceText(join(dir, 'none/a.json'), '')).rejects.toMatchObject({ code: 'ENOENT' });
  const text = (function* () {
    yield 'a';
    throw new Error('no more');
  })();
  await expect(replaceText(join(dir, 'a.json'), text)).rejects.toThrow('no more');
  expect(await readdir(dir)).toEqual([]);
});

test('of other machines only what is old is taken for left', async () => {
  const dead = ownMark().replace(/-\w+$/, '-1');
  const [left, own, old, young] = [dead, ownMark(), '0-1-1', '0-1-2'].map((mark) =>
    join(dir, `a.json.${mark}-0.new`),
  ) as [string, string, string, string];
  const other = join(dir, 'a.new');
  for (const path of [left, own, old, young, other]) await writeFile(path, '');
  await utimes(old, 1, 1);
  expect([left, own, old, young, other].filter(isLeftText)).toEqual([left, old]);
  await deleteLeftTexts(dir);
  await deleteLeftTexts(join(dir, 'none'));
  expect((await readdir(dir)).map((name) => join(dir, name)).toSorted()).toEqual(
    [own, young, other].toSorted(),
  );
});
