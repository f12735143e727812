import { expect } from 'vitest';
import {
  expectNoneLost,
  expectNoneWrong,
  fill,
  inMemory,
  judge,
  type LiedOperations,
  NEW,
  OLD,
  run,
  textsOf,
  under,
} from '../../../support/lied-to-drive.ts';
import { remoteWith } from '../../../support/memory-world.ts';
import { OP } from '../../../support/open-s3.ts';

/** What is copied and moved under a lie, and what must hold then. */
export const TRANSFERS: LiedOperations = {
  async sync({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    const [source, dest] = [await remoteWith(NEW), await drive('box')];
    for (const fastList of [false, true]) {
      lie();
      await judge(
        () => run('sync', source, dest, { fastList }),
        () => expect(under(graph, 'box/')).toEqual(textsOf(NEW)),
      );
      expectNoneWrong(under(graph, 'box/'), textsOf(NEW), textsOf(OLD));
    }
    expect(await inMemory(source)).toEqual(textsOf(NEW));
  },
  async 'move there'({ graph, drive }, lie) {
    fill(graph, 'box/', OLD);
    const source = await remoteWith(NEW);
    const dest = await drive('box');
    lie();
    await judge(
      () => run('move', source, dest),
      () => expect(under(graph, 'box/')).toMatchObject(textsOf(NEW)),
    );
    expectNoneLost(NEW, await inMemory(source), under(graph, 'box/'));
    expectNoneWrong(under(graph, 'box/'), textsOf(NEW), textsOf(OLD));
  },
  async 'move here'({ graph, drive }, lie) {
    fill(graph, 'box/', NEW);
    const [source, dest] = [await drive('box'), await remoteWith(OLD)];
    lie();
    await judge(
      () => run('move', source, dest),
      async () => {
        expect(under(graph, 'box/')).toEqual({});
      },
    );
    expectNoneLost(NEW, under(graph, 'box/'), await inMemory(dest));
    expectNoneWrong(await inMemory(dest), textsOf(NEW), textsOf(OLD));
  },
  async 'copy within'({ graph, drive }, lie) {
    fill(graph, 'from/', NEW);
    fill(graph, 'box/', OLD);
    const [source, dest] = [await drive('from'), await drive('box')];
    lie();
    await judge(
      () => run('copy', source, dest),
      () => expect(under(graph, 'box/')).toMatchObject(textsOf(NEW)),
    );
    expect(under(graph, 'from/')).toEqual(textsOf(NEW));
    const box = Object.entries(under(graph, 'box/')).filter(([path]) => !path.includes('syncer-'));
    expectNoneWrong(Object.fromEntries(box), textsOf(NEW), textsOf(OLD));
  },
  async 'move within'({ graph, drive }, lie) {
    fill(graph, 'from/', NEW);
    fill(graph, 'box/', OLD);
    const [source, dest] = [await drive('from'), await drive('box')];
    lie();
    await judge(
      () => run('move', source, dest),
      () => expect(under(graph, 'box/')).toMatchObject(textsOf(NEW)),
    );
    expectNoneLost(NEW, under(graph, 'from/'), under(graph, 'box/'));
  },
  async 'move a directory'({ graph, drive }, lie) {
    fill(graph, 'from/', NEW);
    const root = await drive('');
    lie();
    await judge(
      async () => root.can.moveDirFrom?.(root, 'from/dir', 'box/dir', OP),
      () => expect(under(graph, 'box/dir/')).toEqual({ x: 'new x', 'deep/y': 'y' }),
    );
  },
};
