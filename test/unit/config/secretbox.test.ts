import { describe, expect, test } from 'vitest';
import { xsalsa20Stream } from '../../../src/config/salsa20.ts';
import { openBox, sealBox } from '../../../src/config/secretbox.ts';

const bytes = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

const hex = (data: Uint8Array | undefined) => data && Buffer.from(data).toString('hex');

/** From NaCl's own tests, `secretbox.c` and `stream3.c`. */
const KEY = bytes('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
const NONCE = bytes('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
const MESSAGE = bytes(`
  be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc
  e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31
  0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
  048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`);
const BOX = bytes(`
  f3ffc7703f9400e52a7dfb4b3d3305d9
  8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
  c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738
  b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da
  99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`);

describe('secretbox', () => {
  test("gives NaCl's key stream", () => {
    expect(hex(xsalsa20Stream(KEY, NONCE, 32))).toBe(
      'eea6a7251c1e72916d11c2cb214d3c252539121d8e234e652d651fa4c8cff880',
    );
  });

  test("seals and opens NaCl's box", () => {
    expect(hex(sealBox(MESSAGE, NONCE, KEY))).toBe(hex(BOX));
    expect(hex(openBox(BOX, NONCE, KEY))).toBe(hex(MESSAGE));
  });

  test('opens no box of which a bit was changed', () => {
    for (let at = 0; at < BOX.length; at++) {
      const changed = Buffer.from(BOX);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openBox(changed, NONCE, KEY)).toBeUndefined();
    }
    expect(openBox(BOX.subarray(0, 15), NONCE, KEY)).toBeUndefined();
  });

  test.each([0, 1, 15, 16, 17, 63, 64, 1000])('%d bytes survive', (length) => {
    const message = new Uint8Array(length).fill(7);
    expect(hex(openBox(sealBox(message, NONCE, KEY), NONCE, KEY))).toBe(hex(message));
  });
});
