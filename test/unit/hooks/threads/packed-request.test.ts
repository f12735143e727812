import { expect, test } from 'vitest';
import { type GoMap, type GoValue, goJson, NIL_MAP } from '../../../../src/hooks/go/go-value.ts';
import { packRequest, unpackRequest } from '../../../../src/hooks/threads/packed-request.ts';

const request = (payload: GoMap) => ({
  method: 'POST',
  remoteAddress: '1.2.3.4:5',
  headers: new Map([['X-A', 'b']]),
  query: new Map(),
  payload,
  body: Buffer.from('{"a":1}\0\xff', 'latin1'),
});

const levels = (count: number): GoMap => {
  let value: GoMap = new Map([['a', 'b']]);
  for (let i = 0; i < count; i++) value = new Map<string, GoValue>([['l', [value, [], new Map()]]]);
  return value;
};

test('a request that nests very deeply is the same after its way to another thread', () => {
  const payload = levels(50_000);
  const after = unpackRequest(structuredClone(packRequest(request(payload))));
  expect(goJson(after.payload)).toBe(goJson(payload));
});

test.each([
  ['an object', new Map<string, GoMap>([['a', new Map([['b', { spelled: '1e3' }]])]])],
  ['no object', NIL_MAP],
  ['none in a list', new Map([['a', [NIL_MAP, null, true, new Map([['c', NIL_MAP]])]]])],
])('a request with %s is the same after its way to another thread', (_, payload) => {
  const before = request(payload);
  const after = unpackRequest(structuredClone(packRequest(before)));
  expect(after).toEqual(before);
  expect(Buffer.isBuffer(after.body)).toBe(true);
  expect(goJson(after.payload)).toBe(goJson(payload));
});
