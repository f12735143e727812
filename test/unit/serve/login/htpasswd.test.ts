import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Htpasswd, parseUsers } from '../../../../src/serve/login/log-in.ts';

// Written by htpasswd of Apache 2.4: -B -C 4, -m and -s, each with the password "secret".
const BCRYPT = 'ann:$2y$04$iAXL83akgzy0TDwlONdSZ.sz3KtfnEw5EeyGGLoAlniov.EwZofgi';
const MD5 = 'bob:$apr1$jVKpCSDA$E4QAbIBwDUAwbzLikBDyL.';
const SHA = 'cy:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-htpasswd-'));
  path = join(folder, 'users');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('every kind of hash', async () => {
  await writeFile(path, `\ufeff${BCRYPT}\n${MD5}\r\n\n${SHA}\n`);
  const file = await Htpasswd.open(path);
  for (const user of ['ann', 'bob', 'cy']) {
    expect([user, await file.verify(user, 'secret')]).toEqual([user, true]);
    // From memory.
    expect([user, await file.verify(user, 'secret')]).toEqual([user, true]);
    expect([user, await file.verify(user, 'wrong')]).toEqual([user, false]);
    expect([user, await file.verify(user, '')]).toEqual([user, false]);
  }
  expect(await file.verify('dan', 'secret')).toBe(false);
  expect(await file.verify('', '')).toBe(false);
});

test('a change of the file counts at once, a deleted file lets nobody in', async () => {
  await writeFile(path, `${SHA}\n`);
  const file = await Htpasswd.open(path);
  expect(await file.verify('cy', 'secret')).toBe(true);
  await writeFile(path, `${MD5}\n`);
  expect(await file.verify('cy', 'secret')).toBe(false);
  expect(await file.verify('bob', 'secret')).toBe(true);
  await rm(path);
  await expect(file.verify('bob', 'secret')).rejects.toThrow();
});

test.each(['ann', 'ann:', 'ann:plain', ':$apr1$x', 'ann:$1$abc$def', 'ann:$6$salt$hash'])(
  '%s is refused, without the hash',
  (line) => {
    expect(() => parseUsers(`\n${line}`)).toThrow(
      'line 2 is not "user:hash" with a hash by bcrypt',
    );
    expect(() => parseUsers(`\n${line}`)).not.toThrow('$');
  },
);
