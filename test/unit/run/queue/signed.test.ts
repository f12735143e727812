import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalJson,
  type QueueValue,
  queueKey,
  signed,
  verified,
} from '../../../../src/run/queue/signed.ts';
import { makeSyncerWorld } from '../../../support/run-syncer.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const json = fc.jsonValue() as fc.Arbitrary<QueueValue>;
const key = (text = KEY) => queueKey({ SYNCER_QUEUE_KEY: text });

describe('canonical JSON', () => {
  test('is JSON, and the same for equal values in any order', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
    expect(canonicalJson({ b: 1, a: [{ d: null, c: 'x' }] })).toBe(
      '{"a":[{"c":"x","d":null}],"b":1}',
    );
    expect(canonicalJson({ a: undefined })).toBe('{}');
    expect(() => canonicalJson([Number.NaN])).toThrow(TypeError);
  });
});

describe('signed values', () => {
  test('pass with their key, also after the queue wrote them in another order', () => {
    fc.assert(
      fc.property(json, (value) => {
        const sent = JSON.parse(JSON.stringify(signed(key(), value)));
        expect(verified(key(), sent, 'run 1')).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('any other value, key or signature is refused', () => {
    fc.assert(
      fc.property(json, json, (value, other) => {
        fc.pre(canonicalJson(value) !== canonicalJson(other));
        const sent = signed(key(), value);
        const take = (changed: Parameters<typeof verified>[1], with_ = key()) => {
          return () => verified(with_, changed, 'range 5');
        };
        expect(take(sent)()).toEqual(value);
        expect(take({ ...sent, value: other })).toThrow('range 5 has a wrong signature');
        expect(take(sent, key(`${KEY}0`))).toThrow('wrong signature');
        expect(take({ value })).toThrow('range 5 is not signed');
        expect(take({ value, signature: '' })).toThrow('wrong signature');
        expect(take({ value, signature: 'ä'.repeat(32) })).toThrow('wrong signature');
        expect(take({ value, signature: 5 as unknown as string })).toThrow('is not signed');
      }),
    );
  });

  test('a machine without a key takes everything, and signs nothing', () => {
    expect(queueKey({})).toBeUndefined();
    expect(verified(undefined, signed(key(), 7), 'run 1')).toBe(7);
    expect(signed(undefined, 7)).toEqual({ value: 7 });
  });

  test('the key comes from a variable or a file', async () => {
    const world = await makeSyncerWorld();
    try {
      const path = join(world.dir, 'key');
      await writeFile(path, `${KEY}\n`);
      const ofFile = queueKey({ SYNCER_QUEUE_KEY_FILE: path });
      expect(ofFile?.(1)).toBe(key()?.(1));
      expect(() => queueKey({ SYNCER_QUEUE_KEY: KEY, SYNCER_QUEUE_KEY_FILE: path })).toThrow(
        'both',
      );
      expect(() => queueKey({ SYNCER_QUEUE_KEY_FILE: `${path}.none` })).toThrow('no such file');
      expect(() => key('too short')).toThrow('shorter than 16 characters');
    } finally {
      await world.remove();
    }
  });
});
