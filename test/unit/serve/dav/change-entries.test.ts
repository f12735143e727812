import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localRemote } from '../../../../src/backends/local/local-remote.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import {
  type DavResponse,
  davWorld,
  LOCK_INFO,
  propertyUpdate,
} from '../../../support/dav-world.ts';
import { layered } from '../../../support/layered.ts';
import { contentsOf, remoteBut, remoteWith } from '../../../support/memory-world.ts';

const op = { signal: new AbortController().signal };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-change-entries-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const disk = () =>
  localRemote(localSettings({ name: '', root, options: {} }), {
    ...{ ...op, clock: systemClock, emit: () => {} },
  });

/** A store with these files, without renames, that is no disk. */
async function store(files: Readonly<Record<string, string>>): Promise<Remote> {
  const remote = await remoteWith(files, {
    emptyDirs: false,
    without: ['moveFrom', 'moveDirFrom', 'purge'],
  });
  return remoteBut(remote, { traits: { ...remote.traits, onDisk: false } });
}

/** A remote whose copies and moves of files wait; `begun` resolves with the first. */
function held(remote: Remote) {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { copyFrom, moveFrom } = remote.can;
  const wait = async () => {
    begun.resolve();
    await release.promise;
  };
  const waiting = layered(remote, {
    can: {
      ...remote.can,
      ...(copyFrom && {
        copyFrom: async (...given) => {
          await wait();
          return copyFrom(...given);
        },
      }),
      ...(moveFrom && {
        moveFrom: async (...given) => {
          await wait();
          return moveFrom(...given);
        },
      }),
    },
  });
  return { remote: waiting, begun: begun.promise, release: release.resolve };
}

/** Time to do too early what should wait. */
async function time(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await setImmediate();
}

const to = (destination: string) => ({
  headers: { destination, overwrite: 'F', host: 'localhost' },
});

test.each(['COPY', 'MOVE'])('of two times %s to one new name one is refused', async (method) => {
  const { remote, begun, release } = held(await store({ a: 'A', b: 'B' }));
  const { dav } = davWorld(remote);
  const first = dav(method, 'a', to('/z'));
  await begun;
  const second = dav(method, 'b', to('/z'));
  await time();
  release();
  expect(await Promise.all([first, second])).toEqual([201, 412]);
  expect(await contentsOf(remote)).toMatchObject({ b: 'B@1000', z: 'A@1000' });
});

test('changes of what is above and below wait, others do not', async () => {
  const { remote, begun, release } = held(await store({ 'd/a': 'A', 'e/b': 'B' }));
  const { dav } = davWorld(remote);
  const order: string[] = [];
  const noting = async (name: string, status: Promise<number>) => {
    order.push(`${name} ${await status}`);
  };
  const moving = noting('move', dav('MOVE', 'd', to('/f')));
  await begun;
  const deleting = noting('delete', dav('DELETE', 'f/a'));
  await noting('other', dav('DELETE', 'e/b'));
  expect(order).toEqual(['other 204']);
  release();
  await Promise.all([moving, deleting]);
  expect(order).toEqual(['other 204', 'move 201', 'delete 204']);
});

test('a request that waits ends when its client leaves, and those behind it wait on', async () => {
  const { remote, begun, release } = held(await store({ a: 'A', b: 'B' }));
  const { tree, dav } = davWorld(remote);
  const first = dav('MOVE', 'a', to('/z'));
  await begun;
  const leaves = new AbortController();
  const second = dav('MOVE', 'b', { ...to('/z'), signal: leaves.signal });
  const third = dav('DELETE', 'z');
  leaves.abort(new Error('the client left'));
  expect(await second).toBe(500);
  expect(await tree.find('b', op)).toBeDefined();
  release();
  expect(await Promise.all([first, third])).toEqual([201, 204]);
});

test.each([
  ['short', 'put body'],
  ['streamed', Readable.from([Buffer.from('put '), Buffer.from('body')])],
])('a %s PUT to a store waits for a move to its name', async (_kind, body) => {
  const { remote, begun, release } = held(await store({ a: 'A' }));
  const { dav } = davWorld(remote);
  const moving = dav('MOVE', 'a', to('/z'));
  await begun;
  const putting = dav('PUT', 'z', { body });
  await time();
  release();
  expect(await Promise.all([moving, putting])).toEqual([201, 204]);
  const { z, ...others } = await contentsOf(remote);
  expect([z?.split('@')[0], others]).toEqual(['put body', {}]);
});

test('a PUT to a store that fails lets others change its path', async () => {
  const { dav } = davWorld(await store({}));
  const headers = { 'oc-checksum': `MD5:${'0'.repeat(32)}` };
  const body = () => Readable.from([Buffer.from('x')]);
  expect(await dav('PUT', 'z', { headers, body: body() })).toBe(422);
  expect(await dav('PUT', 'z', { headers, body: 'short' })).toBe(422);
  expect(await dav('MKCOL', 'z')).toBe(201);
});

test.each(['COPY', 'MOVE'])(
  '%s without Overwrite to a name that a disk has by then',
  async (method) => {
    await writeFile(join(root, 'a'), 'A');
    const { remote, begun, release } = held(disk());
    const { tree, dav } = davWorld(remote);
    const transferring = dav(method, 'a', to('/z'));
    await begun;
    await writeFile(join(root, 'z'), 'other');
    release();
    expect(await transferring).toBe(412);
    expect(await readFile(join(root, 'a'), 'utf8')).toBe('A');
    expect(await readFile(join(root, 'z'), 'utf8')).toBe('other');
    expect([...tree.spared]).toEqual([]);
  },
);

test('a LOCK of the new name of a move replaces nothing, and a PROPPATCH of the old one finds nothing', async () => {
  const { remote, begun, release } = held(await store({ a: 'A' }));
  const { dav } = davWorld(remote);
  const patch = { body: propertyUpdate('<p xmlns="urn:x">v</p>') };
  // The first one loads the parser, for longer than the others have time.
  expect(await dav('PROPPATCH', 'a', patch)).toBe(207);
  const moving = dav('MOVE', 'a', to('/z'));
  await begun;
  const locking = dav('LOCK', 'z', { body: LOCK_INFO });
  const patching = dav('PROPPATCH', 'a', patch);
  await time();
  release();
  expect(await Promise.all([moving, locking, patching])).toEqual([201, 200, 404]);
  expect(await contentsOf(remote)).toEqual({ z: 'A@1000' });
});

test('a move needs no room for properties, and its lock ends; a copy that lacks room copies nothing', async () => {
  const { tree, dav } = davWorld(await remoteWith({ f: 'F' }));
  const large = 'x'.repeat(900_000);
  for (let i = 0; i < 10; i++) {
    const body = propertyUpdate(`<p${i} xmlns="urn:x">${large}</p${i}>`);
    expect(await dav('PROPPATCH', 'f', { body })).toBe(207);
  }
  expect(await dav('COPY', 'f', to('/g'))).toBe(507);
  expect(await contentsOf(tree.remote)).toEqual({ f: 'F@1000' });
  let token = '';
  const onResponse = ({ headers }: DavResponse) => {
    token = String(headers['lock-token']);
  };
  expect(await dav('LOCK', 'f', { body: LOCK_INFO, onResponse })).toBe(200);
  const { headers } = to('/g');
  expect(await dav('MOVE', 'f', { headers: { ...headers, if: `(${token})` } })).toBe(201);
  expect(await dav('PUT', 'f', { body: 'new' })).toBe(201);
});

test.each(['GET', 'PROPFIND', 'PROPPATCH', 'DELETE', 'COPY', 'MOVE', 'LOCK'])(
  '%s finds no file by a URL with a slash at its end',
  async (method) => {
    const { tree, dav } = davWorld(await remoteWith({ f: 'F' }));
    const body = {
      PROPPATCH: propertyUpdate('<p xmlns="urn:x">v</p>'),
      LOCK: LOCK_INFO,
    }[method];
    const request = { ...to('/g'), ...(body === undefined ? {} : { body }) };
    expect(await dav(method, 'f/', request)).toBe(404);
    expect(await contentsOf(tree.remote)).toEqual({ f: 'F@1000' });
  },
);
