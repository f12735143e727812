import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, SyncerError } from '../../../../src/core/errors.ts';
import type { FileEntry, Op, Remote } from '../../../../src/core/remote.ts';
import { installFakeRclone } from '../../../support/fake-rclone.ts';
import { type RcloneHome, rcloneHome } from '../../../support/open-rclone.ts';
import { liesAbout } from '../../../support/rclone-lies.ts';

let base: string;
let fake: string;
let home: RcloneHome;
let remote: Remote;
const op: Op = { signal: new AbortController().signal };

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'syncer-test-'));
  fake = await installFakeRclone(base);
  home = rcloneHome((dir) => `[far]\ntype = sftp\nroot = ${dir}/one\n`, join(fake, 'rclone'));
  remote = await home.open('far:', '', 'sftp');
});

afterAll(async () => {
  lie('');
  await remote.close();
  home.remove();
  rmSync(base, { recursive: true });
});

beforeEach(() => {
  lie('');
  rmSync(join(home.dir, 'one'), { recursive: true });
  mkdirSync(join(home.dir, 'one/dir'), { recursive: true });
  for (const name of ['a', 'b']) writeFileSync(join(home.dir, 'one/dir', name), `file ${name}`);
});

const lie = (name: string) => writeFileSync(join(fake, 'lie'), name);

/** The error of a call while rclone lies; `undefined` if it succeeds. */
async function errorOf(name: string, call: () => Promise<unknown>): Promise<SyncerError> {
  lie(name);
  const thrown = await call().then(
    (value) => new Error(`believed: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  lie('');
  expect(thrown, name).toBeInstanceOf(SyncerError);
  return thrown as SyncerError;
}

/** A page that is no answer of rclone, with a status that is no success, has no meaning beside that. */
const codesOf = (name: string): readonly ErrorCode[] =>
  name.endsWith('status 404') ? ['other'] : ['bad-answer'];

async function expectRefused(name: string, call: () => Promise<unknown>): Promise<void> {
  const { code, message } = await errorOf(name, call);
  expect(codesOf(name), `${name}: ${message}`).toContain(code);
  expect(message).not.toContain('\n');
}

const file = async () => (await remote.stat('dir/a', op)) as FileEntry;

describe('a remote through an rclone that lies', () => {
  it('lists what is there if it does not', async () => {
    const { entries } = await remote.listPage('dir', undefined, op);
    expect(entries.map(({ path }) => path)).toEqual(['dir/a', 'dir/b']);
    expect(await remote.stat('dir/none', op)).toBeUndefined();
    expect(await remote.can.hash?.(await file(), 'md5', op)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('has the name that the user gave it', async () => {
    expect(remote.title).toBe("Far away 'far:'");
    const below = await home.open('far:', 'dir', 'sftp');
    const other = await home.open('far,x=y:', '', 'sftp');
    expect([below.title, other.title]).toEqual(["Far away 'far:dir'", "Far away 'far{hqHuu}:'"]);
    await Promise.all([below.close(), other.close()]);
  });

  const names = ['the directory above', 'the directory itself', 'an entry of a directory below'];
  const isName = (name: string) => names.some((one) => name.endsWith(one));

  it.each(liesAbout('operations/list').filter((name) => !isName(name)))(
    'lists nothing by an answer that is no listing: %s',
    (name) => expectRefused(name, () => remote.listPage('dir', undefined, op)),
  );

  it.each(liesAbout('operations/list').filter(isName))(
    'lists a directory as incomplete if it has a name that no file can have: %s',
    async (name) => {
      lie(name);
      const { entries, failed } = await remote.listPage('dir', undefined, op);
      expect(entries.map(({ path }) => path)).toEqual(['dir/a', 'dir/b']);
      expect(failed).toMatchObject([{ error: { code: 'bad-answer' } }]);
    },
  );

  it.each(liesAbout('operations/stat'))('takes no file for missing: %s', (name) =>
    expectRefused(name, () => remote.stat('dir/a', op)),
  );

  it.each(liesAbout('operations/fsinfo'))('is not opened: %s', (name) =>
    expectRefused(name, async () => (await home.open(`far,x=${name.length}:`, '', 'sftp')).close()),
  );

  it.each(liesAbout('operations/hashsumfile'))('has no hash: %s', (name) =>
    expectRefused(name, async () => remote.can.hash?.(await file(), 'md5', op)),
  );

  it.each(liesAbout('operations/about'))('does not know its space: %s', (name) =>
    expectRefused(name, async () => remote.can.about?.(op)),
  );

  it.each(liesAbout('operations/publiclink'))('has no link: %s', (name) =>
    expectRefused(name, async () => remote.can.publicLink?.(await file(), undefined, op)),
  );

  it.each(liesAbout('operations/purge'))('is not purged: %s', (name) =>
    expectRefused(name, async () => remote.can.purge?.('dir', op)),
  );

  it.each(liesAbout('operations/deletefile'))('has not deleted a file: %s', async (name) => {
    lie(name);
    const failed = await remote.delete([{ kind: 'file', path: 'dir/a', size: 6 }], op);
    expect([...failed.values()]).toMatchObject([{ code: codesOf(name)[0] }]);
  });
});
