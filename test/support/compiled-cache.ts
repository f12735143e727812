import { resolve } from 'node:path';

/**
 * Where programs under test keep their compiled code: in one place for all, so that they are quick, and none writes to
 * its home when it ends. A test that wants the usual place takes it out of the environment.
 */
export const COMPILED_CACHE = {
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../node_modules/.cache/syncer-compiled'),
} as const;
