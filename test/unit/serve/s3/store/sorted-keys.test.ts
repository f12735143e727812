import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNames } from '../../../../../src/core/name-order.ts';
import { SortedKeys, walkKeys } from '../../../../../src/serve/s3/store/sorted-keys.ts';

const names = fc
  .array(fc.constantFrom('a', 'b', '/', '-', '0', 'ä', '\uff5e', '😀'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

test('behaves like a sorted array', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), names), { maxLength: 200 }),
      names,
      (steps, probe) => {
        const keys = new SortedKeys();
        const model = new Set<string>();
        for (const [isAdd, name] of steps) {
          if (isAdd) {
            keys.add(name);
            model.add(name);
          } else {
            keys.delete(name);
            model.delete(name);
          }
        }
        const sorted = [...model].sort(compareNames);
        expect([...keys.from('')]).toEqual(sorted);

        expect(keys.has(probe)).toBe(model.has(probe));
        const behind = sorted.filter((name) => compareNames(name, probe) >= 0);
        expect(keys.atOrAfter(probe)).toBe(behind[0]);
        expect([...keys.from(probe)]).toEqual(behind);
        expect(keys.afterPrefix(probe)).toBe(behind.find((name) => !name.startsWith(probe)));
      },
    ),
  );
});

test('stays in order through many blocks', () => {
  const all = Array.from({ length: 5000 }, (_, i) => String((i * 7919) % 5000).padStart(5, '0'));
  const keys = new SortedKeys();
  for (const name of all) keys.add(name);
  expect([...keys.from('')]).toEqual([...all].sort());
  for (const name of all) if (Number(name) % 3 !== 0) keys.delete(name);
  expect([...keys.from('02000')]).toEqual(
    all.filter((name) => Number(name) % 3 === 0 && name >= '02000').sort(),
  );
  for (const name of all) keys.delete(name);
  expect([keys.atOrAfter(''), [...keys.from('')]]).toEqual([undefined, []]);
});

test('walking gives what looking at every key would give', () => {
  const walks = fc.record({
    prefix: fc.oneof(fc.constant(''), names),
    delimiter: fc.constantFrom('', '/', '-', '/a'),
    after: fc.oneof(fc.constant(''), names),
    afterGroup: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(names, { maxLength: 60 }), walks, (list, walk) => {
      const keys = new SortedKeys();
      for (const name of list) keys.add(name);
      const expected: string[] = [];
      for (const name of [...new Set(list)].sort(compareNames)) {
        if (!name.startsWith(walk.prefix)) continue;
        if (walk.after !== '' && compareNames(name, walk.after) <= 0) continue;
        if (walk.after !== '' && walk.afterGroup && name.startsWith(walk.after)) continue;
        const { delimiter, prefix } = walk;
        const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
        const shown = at < 0 ? `key ${name}` : `group ${name.slice(0, at + delimiter.length)}`;
        if (expected.at(-1) !== shown) expected.push(shown);
      }
      const walked = [...walkKeys(keys, walk)].map((each) =>
        'key' in each ? `key ${each.key}` : `group ${each.prefix}`,
      );
      expect(walked).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
