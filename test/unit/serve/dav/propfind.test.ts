import { expect, test } from 'vitest';
import { around } from '../../../../src/core/around.ts';
import { type DavResponse, davWorld } from '../../../support/dav-world.ts';
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
  const { dav } = davWorld(around(remote, { can: { ...remote.can, about } }));
  let found = '';
  const onResponse = ({ text }: DavResponse) => {
    found = text;
  };
  const request = { headers: { depth: '1' }, body: WANTED, onResponse };
  expect(await dav('PROPFIND', '', request)).toBe(207);
  expect(found.match(/<D:quota-used-bytes>12</g)).toHaveLength(4);
  expect(asked).toBe(1);
});
