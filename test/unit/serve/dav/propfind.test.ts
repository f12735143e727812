import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Capabilities } from '../../../../src/core/remote.ts';
import { type DavResponse, davWorld } from '../../../support/dav-world.ts';
import { layered } from '../../../support/layered.ts';
import { remoteWith } from '../../../support/memory-world.ts';

const QUOTA = ['quota-used-bytes', 'quota-available-bytes'].map((name) => `<D:${name}/>`).join('');
const WANTED = `<D:propfind xmlns:D="DAV:"><D:prop>${QUOTA}</D:prop></D:propfind>`;

test('the space of the remote is asked once for all directories', async () => {
  const remote = await remoteWith({ 'a/f': 'F', 'b/f': 'F', 'c/f': 'F' });
  let asked = 0;
  const about = async () => {
    asked++;
    return { used: 12, free: 34 };
  };
  const { dav } = davWorld(layered(remote, { can: { ...remote.can, about } }));
  let found = '';
  const onResponse = ({ text }: DavResponse) => {
    found = text;
  };
  const request = { headers: { depth: '1' }, body: WANTED, onResponse };
  expect(await dav('PROPFIND', '', request)).toBe(207);
  expect(found.match(/<D:quota-used-bytes>12</g)).toHaveLength(4);
  expect(asked).toBe(1);
});

const MD5_OF_F = '800618943025315f869e4e1f09471012';

test.each([
  ['counts', 'counts', ['a', 'b', 'c']],
  ['is none', 'is-none', []],
  ['cannot be asked for', 'unknown', []],
] as const)('a hash of a listing that %s', async (_, what, shown) => {
  const remote = await remoteWith({ 'd/a': 'F', 'd/b': 'F', 'd/c': 'F' }, { hashes: ['md5'] });
  const asked: string[] = [];
  const can: Capabilities = {
    ...remote.can,
    hashesInDoubt: ({ hashes }) => hashes?.md5 !== undefined,
    confirmHashes: async (file) => {
      asked.push(file.path);
      if (what === 'unknown') throw new SyncerError('network', 'no');
      const { hashes: _none, ...bare } = file;
      return what === 'counts' ? file : bare;
    },
  };
  const { dav } = davWorld(layered(remote, { can }));
  let found = '';
  const onResponse = ({ text }: DavResponse) => {
    found = text;
  };
  expect(await dav('PROPFIND', 'd', { headers: { depth: '1' }, onResponse })).toBe(207);
  expect(asked.sort()).toEqual(['d/a', 'd/b', 'd/c']);
  expect(found.match(new RegExp(`MD5:${MD5_OF_F}`, 'g')) ?? []).toHaveLength(shown.length);
});
