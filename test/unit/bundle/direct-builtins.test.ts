import { expect, test } from 'vitest';
import { withDirectBuiltins } from '../../../scripts/bundle/direct-builtins.ts';

const fs = 'globalThis.process.getBuiltinModule("node:fs")';

test.each([
  ['import fs from "node:fs";', `const fs = ${fs};`],
  ['import fs$1, { openSync } from "node:fs";', `const fs$1 = ${fs}, { openSync } = ${fs};`],
  ['import * as all from "node:fs";', `const all = ${fs};`],
  ['import { a, b as c$1 } from "node:fs";', `const { a, b: c$1 } = ${fs};`],
])('%s', (before, after) => {
  expect(withDirectBuiltins(`first();\n${before}\nlast();`)).toBe(`first();\n${after}\nlast();`);
});

test.each([
  'import { a } from "./group.js";',
  'const text = `\n  import fs from "node:fs";`;',
  'await import("node:fs");',
])('%j stays as it is', (code) => {
  expect(withDirectBuiltins(code)).toBe(code);
});

test('what it does not understand stops the build', () => {
  expect(() => withDirectBuiltins('import type { a } from "node:fs";')).toThrow('not understood');
});
