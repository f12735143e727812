import { expect, test } from 'vitest';
import { type ProgramParts, programChecks } from '../../../../commands/doctor/folder-checks.ts';
import { collect } from './collect.ts';

const PARTS: ProgramParts = {
  ...{ version: '1.2.0', nodeVersion: '24.1.0', compileCache: '/cache', isCacheOff: false },
  loadNative: async () => {},
  askThread: async () => 1,
};
const checks = (parts: Partial<ProgramParts> = {}) =>
  collect(programChecks({ ...PARTS, ...parts }));
const fails = async () => Promise.reject(new Error('it is broken\nat line 1'));

test('a whole program', async () => {
  expect(await checks()).toEqual({
    version: 'ok: syncer 1.2.0 on Node 24.1.0',
    native: 'ok: calls of the C library work',
    threads: 'ok: threads start',
    'compile-cache': 'ok: /cache',
  });
});

test('what is missing, and how to get it', async () => {
  expect(
    await checks({ loadNative: fails, askThread: fails, compileCache: undefined, newest: fails }),
  ).toMatchObject({
    native:
      'failed: mounts and some times of files do not work: it is broken; install syncer again, from where this one came',
    threads: 'failed: no thread starts, which hashes need: it is broken $ ulimit -u',
    'compile-cache': 'warning: off: every start compiles the program $ mkdir -p ~/.cache/syncer',
    'newest-version': 'unknown: it is broken',
  });
});

test.each([
  ['1.2.0', 'ok: 1.2.0 is the newest version'],
  ['1.1.9', 'ok: 1.2.0 is the newest version'],
  ['1.10.0', 'warning: 1.10.0 is newer than 1.2.0; install syncer again, from where this one came'],
  [undefined, 'unknown: the registry has no release of syncer'],
])('%s in the registry', async (found, says) => {
  expect((await checks({ newest: async () => found }))['newest-version']).toBe(says);
});
