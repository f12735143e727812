import { describe, expect, it } from 'vitest';
import { KeyOrder } from '../../../../../src/backends/s3/listing/lister.ts';

describe('KeyOrder', () => {
  const page = (...keys: string[]) => ({
    keys: keys.map((key) => ({ key, size: 1, etag: '', modifiedMs: 0, storageClass: '' })),
    prefixes: [],
  });
  const many = Array.from({ length: 20 }, (_, i) => `k${String(i).padStart(2, '0')}`);

  it('lets stores list as they like, but not in one order and then in another', () => {
    const any = new KeyOrder('b');
    expect(any.isBroken(page('b', 'a'), undefined, false)).toBe(true);
    expect(any.isBroken(page('a', 'b'), 'c', false)).toBe(true);
    const kept = new KeyOrder('b');
    expect(kept.isBroken(page(...many), undefined, false)).toBe(false);
    expect(() => kept.isBroken(page(...many), many.at(-1), false)).toThrow(/is misplaced/);
    expect(kept.isBroken(page('k99', '\u{1f600}', '\uffee'), many.at(-1), false)).toBe(true);
  });

  it('takes no key twice', () => {
    expect(() => new KeyOrder('b').isBroken(page('b', 'a', 'b'), undefined, false)).toThrow(
      /twice/,
    );
  });
});
