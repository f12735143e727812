import { expect } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import type { Entry, Page } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import {
  BIG,
  expectNoneWrong,
  fill,
  isFile,
  judge,
  type LiedOperations,
  listed,
  NEW,
  OLD,
  textsOf,
  under,
} from '../../../support/lied-to-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

/** What else is changed, read and listed under a lie, and what must hold then. */
export const CHANGES: LiedOperations = {
  async delete({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    const box = await drive('box');
    const files = [...(await listed(box)), ...(await listed(box, 'dir'))].filter(isFile);
    lie();
    await judge(
      async () => {
        for (const error of (await box.delete(files.slice(1), OP)).values()) throw error;
        if (files[0] !== undefined) await deleteOne(box, files[0], OP);
      },
      () => expect(Object.keys(under(graph, 'box/'))).toEqual(['extra dir/z']),
    );
  },
  async purge({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    const root = await drive('');
    lie();
    await judge(
      async () => root.can.purge?.('box', OP),
      () => expect(under(graph, 'box')).toEqual({}),
    );
  },
  async rmdir({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    graph.drive.mkdir('bare');
    const root = await drive('');
    lie();
    await judge(
      () => root.deleteDir('bare', OP),
      () => expect(graph.drive.find('bare')).toBeUndefined(),
    );
    await root.deleteDir('box', OP).catch(() => {});
    expect(under(graph, 'box/')).toEqual(textsOf(OLD));
  },
  async mkdir({ graph, drive }, lie) {
    const root = await drive('');
    lie();
    await judge(
      () => root.makeDir('a/b', OP),
      () => expect(graph.drive.find('a/b')?.children).toBeDefined(),
    );
  },
  async rcat({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    const box = await drive('box');
    for (const [path, text] of [
      ['changed', 'new one'],
      ['big', BIG],
      ['empty', ''],
    ] as const) {
      lie();
      const source = { ...sourceOf(path, text), size: undefined, seekable: false };
      await judge(
        () => box.write(source, OP),
        () => expect(under(graph, 'box/')[path]).toBe(text),
      );
    }
    expectNoneWrong(under(graph, 'box/'), textsOf(NEW), textsOf(OLD));
  },
  async 'set a time'({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    const box = await drive('box');
    const file = (await listed(box)).find(isFile);
    if (file === undefined) throw new Error('no file');
    lie();
    await judge(
      async () => box.can.setModTime?.(file, 1_600_000_000_000_000_000n, OP),
      () => expect(graph.drive.item(`box/${file.path}`).modified).toBe(1_600_000_000_000),
    );
  },
  async cat({ graph, drive }, lie) {
    fill(graph, 'box/', NEW);
    const box = await drive('box');
    const files = (await listed(box)).filter(isFile);
    lie();
    for (const file of files) {
      const text = textsOf(NEW)[file.path] ?? '';
      for (const range of [undefined, { offset: 2, length: 3 }, { offset: 1 }]) {
        let read: string | undefined;
        await judge(
          async () => {
            // The address of another content may be known already.
            const body = await box.read(file, range, OP);
            read = (await collectBody(body, OP.signal)).toString();
          },
          () => {
            const end = range?.length === undefined ? undefined : range.offset + range.length;
            expect(read).toBe(text.slice(range?.offset ?? 0, end));
          },
        );
      }
    }
  },
  async list({ graph, drive }, lie) {
    Object.assign(graph.settings, { maxPageSize: 2 });
    fill(graph, 'box/', NEW);
    const box = await drive('box');
    lie();
    let found: Entry[] = [];
    await judge(
      async () => {
        found = await listed(box);
      },
      () =>
        expect([...new Set(found.map(({ path }) => path))].sort()).toEqual([
          'big',
          'changed',
          'dir',
          'empty',
          'fresh',
          'same',
        ]),
    );
    lie();
    await judge(
      async () => {
        found = [await box.stat('same', OP)].flatMap((entry) => entry ?? []);
      },
      () => expect(found).toMatchObject([{ kind: 'file', path: 'same', size: 1 }]),
    );
  },
  async 'list the whole drive'({ graph, drive }, lie) {
    fill(graph, 'box/', NEW);
    const root = await drive('');
    lie();
    let pages: ReadonlyMap<string, Page> | undefined;
    await judge(
      async () => {
        pages = await root.can.listDirs?.(OP);
        for (const { failed } of pages?.values() ?? []) if (failed?.[0]) throw failed[0].error;
      },
      () => {
        for (const dir of ['box', 'box/dir', 'other']) {
          const names = pages
            ?.get(dir)
            ?.entries.map(({ path }) => path)
            .sort();
          if (names === undefined) continue;
          const all = Object.keys(graph.drive.tree()).map((path) => path.replace(/\/$/, ''));
          expect(names).toEqual(
            all.filter((path) => path.replace(/\/[^/]*$/, '') === dir && path !== dir),
          );
        }
      },
    );
    await judge(
      async () => {
        const changes = await root.can.changes?.(undefined, OP);
        graph.drive.put('box/later', 'x');
        const { items = [] } = (await root.can.changes?.(changes?.token, OP)) ?? {};
        expect(items.length).toBeGreaterThan(0);
      },
      () => {},
    );
  },
  async 'about and links'({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    const box = await drive('box');
    const file = (await listed(box)).find(isFile);
    if (file === undefined) throw new Error('no file');
    lie();
    await judge(
      async () =>
        box.can.publicLink?.(file, undefined, OP).then((link) => expect(link).toMatch(/^https?:/)),
      () => expect(graph.drive.item(`box/${file.path}`).permissions).toHaveLength(1),
    );
    lie();
    await judge(
      async () => box.can.deleteLink?.(file, OP),
      () => expect(graph.drive.item(`box/${file.path}`).permissions).toHaveLength(0),
    );
    await judge(
      async () => box.can.about?.(OP),
      () => {},
    );
  },
};
