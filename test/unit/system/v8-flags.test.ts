import { expect, test, vi } from 'vitest';
import { changeFlag, withFirstFlags } from '../../../src/system/v8-flags.ts';

test('flags are changed at once, and are as at the start for one action', () => {
  // Other tests of this process have changed some.
  vi.stubGlobal(Symbol.for('syncer.v8-flags') as never, undefined);
  const v8 = process.getBuiltinModule('node:v8');
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => undefined);
  const sets = () => {
    const flags = set.mock.calls.flat();
    set.mockClear();
    return flags;
  };
  expect(withFirstFlags(() => 1)).toBe(1);
  expect(sets()).toEqual([]);
  changeFlag('--stack-size=900', '--stack-size=800');
  changeFlag('--no-maglev', '--maglev');
  changeFlag('--stack-size=950', '--stack-size=800');
  expect(sets()).toEqual(['--stack-size=900', '--no-maglev', '--stack-size=950']);
  expect(withFirstFlags(sets)).toEqual(['--stack-size=800', '--maglev']);
  expect(sets()).toEqual(['--stack-size=950', '--no-maglev']);
  expect(() =>
    withFirstFlags(() => {
      throw new Error('refused');
    }),
  ).toThrow('refused');
  expect(sets()).toEqual(['--stack-size=800', '--maglev', '--stack-size=950', '--no-maglev']);
  set.mockRestore();
  vi.unstubAllGlobals();
});
