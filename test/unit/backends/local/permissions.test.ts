import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asUser, fileAt, names, OP, openLocal, partials, textSource } from './local-world.ts';

describe('what may not be read', () => {
  it('a directory rejects and never counts as empty', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'secret'), { mode: 0 });
    expect(await asUser(() => names(remote))).toEqual(['secret/']);
    await expect(asUser(() => names(remote, 'secret'))).rejects.toMatchObject({
      code: 'unreadable',
      exit: 6,
      message: `open ${dir}/secret: permission denied`,
    });
  });

  it('a directory whose entries may not be looked at rejects', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'blind'));
    fs.writeFileSync(join(dir, 'blind/file'), 'x');
    fs.chmodSync(join(dir, 'blind'), 0o444);
    await expect(asUser(() => names(remote, 'blind'))).rejects.toMatchObject({
      code: 'unreadable',
    });
  });

  it('a file rejects with its path, when read and when copied by the kernel', async () => {
    const { remote, dir } = openLocal();
    const message = `open ${dir}/file: permission denied`;
    fs.chmodSync(dir, 0o777);
    fs.writeFileSync(join(dir, 'file'), 'x', { mode: 0 });
    const file = await fileAt(remote, 'file');
    const reading = asUser(() => remote.read(file, undefined, OP));
    await expect(reading).rejects.toMatchObject({ code: 'access-denied', message });
    const copying = asUser(async () => remote.can.copyFrom?.(remote, file, 'copy', OP));
    await expect(copying).rejects.toMatchObject({ code: 'access-denied', message });
    expect(partials(dir)).toEqual([]);
  });
});

describe('where may not be written', () => {
  it('a file is not, nor is one removed', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), 'x');
    const file = await fileAt(remote, 'file');
    const writing = asUser(() => remote.write(textSource('new', 'x'), OP));
    await expect(writing).rejects.toMatchObject({
      code: 'access-denied',
      message: expect.stringMatching(/^open .*: permission denied$/),
    });
    const removing = asUser(() => remote.delete(file, OP));
    await expect(removing).rejects.toMatchObject({
      code: 'access-denied',
      message: `remove ${dir}/file: permission denied`,
    });
    await expect(asUser(() => remote.makeDir('a/b', OP))).rejects.toMatchObject({
      code: 'access-denied',
    });
    expect(await names(remote)).toEqual(['file']);
  });
});

describe('modes', () => {
  it('of new files are 0666 less the umask, never those of the source', async () => {
    const { remote, dir } = openLocal();
    const expected = 0o666 & ~process.umask();
    await remote.write(textSource('written', 'x'), OP);
    fs.writeFileSync(join(dir, 'source'), 'x', { mode: 0o700 });
    await remote.can.copyFrom?.(remote, await fileAt(remote, 'source'), 'copied', OP);
    for (const name of ['written', 'copied']) {
      expect(fs.statSync(join(dir, name)).mode & 0o7777).toBe(expected);
    }
  });
});
