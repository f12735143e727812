import { describe, expect, it } from 'vitest';
import type { ModTime } from '../../../../src/core/mod-time.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { driveWorld } from '../../../support/drive-world.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';
import { randomFrom } from '../../../support/random-from.ts';

const world = driveWorld();

/** Small enough for one request, and for a session. */
const SIZES = { 'in one request': 10, 'in a session': 700 * 1024 } as const;
const OPTIONS = { upload_cutoff: '320Ki', chunk_size: '320Ki' };

let seed = 0;
const content = (size: number) => {
  const random = randomFrom(seed++);
  return Buffer.from(Array.from({ length: size }, () => random(256)));
};
const write = (bytes: Buffer, replaces: FileEntry | 'nothing') =>
  world.remote.write({ ...sourceOf('dir/file', bytes), replaces }, OP);
const now = () => world.graph.drive.read('dir/file');

describe.each(['personal', 'business'] as const)('on a %s drive', (type) => {
  describe.each(Object.entries(SIZES))('written %s', (_how, size) => {
    const [one, two, three] = [content(size), content(size), content(size)];

    it('a file is created only where none is', async () => {
      await world.start({ drives: [{ type }] }, OPTIONS);
      const file = await write(one, 'nothing');
      expect(file).toMatchObject({ path: 'dir/file', size });
      await expect(write(two, 'nothing')).rejects.toMatchObject({ code: 'precondition-failed' });
      expect(now()?.equals(one)).toBe(true);
      expect(world.graph.openSessions()).toEqual([]);
    });

    it('a file is replaced only if it is as it was listed', async () => {
      await world.start({ drives: [{ type }] }, OPTIONS);
      const first = await write(one, 'nothing');
      const second = await write(two, first);
      expect(now()?.equals(two)).toBe(true);
      await expect(write(three, first)).rejects.toMatchObject({ code: 'precondition-failed' });
      expect(now()?.equals(two)).toBe(true);
      await write(three, second);
      expect(now()?.equals(three)).toBe(true);
      expect(world.graph.openSessions()).toEqual([]);
    });

    it('a file that was deleted is not replaced, nor is a new one with its name', async () => {
      await world.start({ drives: [{ type }] }, OPTIONS);
      const first = await write(one, 'nothing');
      world.graph.drive.remove('dir/file');
      await expect(write(two, first)).rejects.toMatchObject({ code: 'precondition-failed' });
      expect(now()).toBeUndefined();
      const other = content(size);
      world.graph.drive.put('dir/file', other);
      await expect(write(two, first)).rejects.toMatchObject({ code: 'precondition-failed' });
      expect(now()?.equals(other)).toBe(true);
    });

    it('a 404 of something before the service does not mean that the file was deleted', async () => {
      await world.start({ drives: [{ type }] }, OPTIONS);
      const first = await write(one, 'nothing');
      world.graph.setFaults(({ operation }) =>
        ['putContent', 'createUploadSession'].includes(operation)
          ? { status: 404, html: true }
          : undefined,
      );
      await expect(write(two, first)).rejects.toMatchObject({ code: 'bad-answer' });
      expect(now()?.equals(one)).toBe(true);
    });

    it('another ETag of the same content does not count, if its tag proves that', async () => {
      await world.start({ drives: [{ type }] }, OPTIONS);
      const first = await write(one, 'nothing');
      const { drive } = world.graph;
      await world.remote.can.setModTime?.(first, 1_600_000_000_000_000_000n as ModTime, OP);
      expect((await world.fileAt('dir/file')).etag).not.toBe(first.etag);
      const second = await write(two, first);
      drive.put('dir/file', two, new Date(0));
      await expect(write(three, second)).rejects.toMatchObject({ code: 'precondition-failed' });
      expect(now()?.equals(two)).toBe(true);
    });

    it('of writes at the same time one succeeds', async () => {
      await world.start({ drives: [{ type }] }, OPTIONS);
      const race = async (replaces: FileEntry | 'nothing') => {
        const all = Array.from({ length: 5 }, () => write(content(size), replaces));
        const ended = await Promise.allSettled(all);
        const written = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
        expect(written).toHaveLength(1);
        return written[0] as FileEntry;
      };
      await race(await race('nothing'));
    });
  });

  it('a directory is no file to replace', async () => {
    await world.start({ drives: [{ type }] });
    world.graph.drive.mkdir('dir/file');
    await expect(write(content(5), 'nothing')).rejects.toMatchObject({ code: 'not-a-file' });
  });
});
