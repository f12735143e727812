import { expect, test } from 'vitest';
import { type DavResponse, davWorld, propertyUpdate } from '../../../support/dav-world.ts';
import { contentsOf, remoteWith } from '../../../support/memory-world.ts';

const property = (name: string, length = 1) =>
  `<${name} xmlns="urn:x">${'x'.repeat(length)}</${name}>`;

test('without room for all properties none is set, and no time', async () => {
  const { tree, dav } = davWorld(await remoteWith({ f: 'F', g: 'G' }));
  for (let i = 0; i < 18; i++) {
    const body = propertyUpdate(property(`p${i}`, 900_000));
    expect(await dav('PROPPATCH', 'f', { body })).toBe(207);
  }
  const time = '<D:lastmodified>2000</D:lastmodified>';
  const mixed = time + property('small') + property('large', 900_000);
  expect(await dav('PROPPATCH', 'g', { body: propertyUpdate(mixed) })).toBe(507);
  expect(await contentsOf(tree.remote)).toEqual({ f: 'F@1000', g: 'G@1000' });
  let found = '';
  const onResponse = ({ text }: DavResponse) => {
    found = text;
  };
  expect(await dav('PROPFIND', 'g', { headers: { depth: '0' }, onResponse })).toBe(207);
  expect(found).not.toContain('small');
});

test('of several times the last one is set', async () => {
  const { tree, dav } = davWorld(await remoteWith({ f: 'F' }));
  const times = [2000, 3000].map((time) => `<D:lastmodified>${time}</D:lastmodified>`);
  expect(await dav('PROPPATCH', 'f', { body: propertyUpdate(times.join('')) })).toBe(207);
  expect(await contentsOf(tree.remote)).toEqual({ f: 'F@3000' });
});
