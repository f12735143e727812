import { expect, test } from 'vitest';
import { RequestReader } from '../../../../src/fuse/wire/request-reader.ts';
import { packed } from '../../../support/fake-fuse-device.ts';

function readerOf(body: Uint8Array): RequestReader {
  const reader = new RequestReader(4096);
  const head = packed(40 + body.length, 12, 2n ** 33n + 4n, 2n ** 40n, 1000, 100, 4242, 0);
  reader.buffer.set(Buffer.concat([head, body]));
  expect(reader.begin(40 + body.length)).toBe(true);
  return reader;
}

test('the header', () => {
  const { opcode, unique, node, uid, thread } = readerOf(Buffer.alloc(0));
  expect({ opcode, unique, node, uid, thread }).toEqual({
    ...{ opcode: 12, unique: 2 ** 33 + 4, node: 2 ** 40, uid: 1000, thread: 4242 },
  });
});

test('numbers and names one after the other', () => {
  const reader = readerOf(Buffer.concat([packed(7n, 'old'), Buffer.from('n\xfc\xff\0', 'latin1')]));
  expect(reader.u64(0)).toBe(7);
  expect(reader.name(8)).toBe('old');
  expect(reader.name(reader.nameEnd(8) + 1)).toBe('n\udcfc\udcff');
});

test('control characters are as paths have them, and look-alikes are told from them', () => {
  const reader = readerOf(packed('tab\there', 'tab␉here', 'del\x7f'));
  const names: string[] = [];
  for (let at = 0; names.length < 3; at = reader.nameEnd(at) + 1) names.push(reader.name(at));
  expect(names).toEqual(['tab␉here', 'tab‛␉here', 'del␡']);
});

test('bytes are not copied and do not reach beyond the request', () => {
  const reader = readerOf(packed(1, 2));
  const bytes = reader.bytes(4, 100);
  expect(bytes.length).toBe(4);
  expect(bytes.buffer).toBe(reader.buffer.buffer);
});

test('what is no whole request is refused', () => {
  const reader = new RequestReader(4096);
  reader.buffer.set(packed(48, 12, 1n, 1n, 0, 0, 0, 0));
  expect(reader.begin(20)).toBe(false);
  expect(reader.begin(47)).toBe(false);
  expect(reader.begin(48)).toBe(true);
});
