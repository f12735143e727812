import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { thirdPartyNotice } from '../../../scripts/bundle/third-party-notice.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'notice-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The notice for one package of this description and with these files. */
async function noticeOf(described: object, files: Readonly<Record<string, string>> = {}) {
  const folder = join(root, 'node_modules/@a/b');
  await mkdir(folder, { recursive: true });
  const json = JSON.stringify({ name: '@a/b', version: '1.2.3', ...described });
  await writeFile(join(folder, 'package.json'), json);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return thirdPartyNotice(root, ['node_modules/@a/b/index.js'], ['/*! other */']);
}

test('a package brings its own text, and what its NOTICE says', async () => {
  const files = { 'LICENSE.md': 'be kind', NOTICE: 'made by me', 'index.js': 'code' };
  expect(await noticeOf({ license: 'BSD' }, files)).toBe(
    'syncer contains code of these packages.\n\n== @a/b 1.2.3 (BSD) ==\nbe kind\n\nmade by me\n\n/*! other */\n',
  );
});

test('where it has none the text of the licence stands there, with the author', async () => {
  const mit = await noticeOf({ license: 'MIT', author: 'Ann <a@b.example>' });
  const isc = await noticeOf({ license: 'ISC', author: 'Ann' });
  expect(isc).toContain('ISC License\n\nCopyright (c) Ann\n\nPermission to use');
  expect(mit).toContain('MIT License\n\nCopyright (c) Ann <a@b.example>\n\nPermission is hereby');
  expect(mit).toContain('OUT OF OR IN CONNECTION WITH THE SOFTWARE');
  const apache = await noticeOf({ license: 'Apache-2.0', author: { name: 'A Team' } });
  expect(apache).toContain('(Apache-2.0) ==\nCopyright A Team\n');
  expect(apache).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
  expect(apache).toContain('END OF TERMS AND CONDITIONS');
});

test.each([{ license: 'MIT' }, { license: 'BSD-4-Clause', author: 'Ann' }, { author: 'Ann' }])(
  'and the build fails where that is not known: %j',
  async (described) => {
    await expect(noticeOf(described)).rejects.toThrow('@a/b has no text of its licence');
  },
);
