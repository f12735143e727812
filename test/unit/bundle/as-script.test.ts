import { expect, test } from 'vitest';
import { asEntry, asScript } from '../../../scripts/bundle/as-script.ts';

type Exports = Readonly<Record<string, unknown>>;

interface Loads {
  readonly files?: Readonly<Record<string, Exports>>;
  readonly later?: (name: string) => Promise<Exports>;
}

/** What a script exports. */
async function run(code: string, { files = {}, later }: Loads = {}): Promise<Exports> {
  // biome-ignore lint/security/noGlobalEval: the text is a script
  const script = eval(asScript(code));
  const load = (name: string) => files[name.replace('file:', '')];
  const node = async (name: string) => process.getBuiltinModule(name);
  return script.run(load, later, node, { url: 'file:///here' });
}

/** The names of the files that a script imports. */
// biome-ignore lint/security/noGlobalEval: the text is a script
const importsOf = (code: string) => eval(asScript(code)).imports;

test('a script exports what the module did, by all names', async () => {
  const code =
    'const a = 1; function b() { return a; } class C {}\nexport { a, b as "x y", C as default };';
  const { a, 'x y': b, default: C } = await run(code);
  expect([a, (b as () => number)(), typeof C]).toEqual([1, 1, 'function']);
  expect(await run('export default [1][0];')).toEqual({ default: 1 });
  expect(await run('0;')).toEqual({});
});

test('a script imports from other files, each of which it names once', async () => {
  const code =
    'import { t as one, "a b" as two } from "./x-1.js"; import { u } from "../chunks/y-2.js";' +
    'import "./z-3.js"; import { v } from "./x-1.js"; export { one, two, u, v };';
  expect(importsOf(code)).toEqual(['x-1.js', 'y-2.js', 'z-3.js']);
  const files = { 'x-1.js': { t: 1, 'a b': 2, v: 4 }, 'y-2.js': { u: 3 } };
  expect(await run(code, { files })).toEqual({ one: 1, two: 2, u: 3, v: 4 });
});

test('Node’s own modules are taken as they are, also where a name is that of the process', async () => {
  const code =
    'import fs, { join as j } from "node:path"; import * as os from "os"; import process from "node:process";' +
    'import {} from "node:fs"; export { fs, j, os, process };';
  expect(importsOf(code)).toEqual([]);
  const { fs, j, os, process: own } = await run(code);
  expect(fs).toBe(process.getBuiltinModule('node:path'));
  expect(j).toBe(process.getBuiltinModule('node:path').join);
  expect(os).toBe(process.getBuiltinModule('node:os'));
  expect(own).toBe(process.getBuiltinModule('node:process'));
});

test('what is imported later, and where the script is', async () => {
  const later = async (name: string) => ({ name });
  const code =
    'const a = await import("./chunks/a-1.js"); const { join } = await import("node:path");' +
    'const where = import.meta.url; export { a, join, where };';
  const { a, join, where } = await run(code, { later });
  expect(a).toEqual({ name: 'a-1.js' });
  expect(join).toBe(process.getBuiltinModule('node:path').join);
  expect(where).toBe('file:///here');
});

test('texts that look like imports stay as they are', async () => {
  const code = 'const text = `import("./a.js") import.meta`; export { text };';
  expect(await run(code)).toEqual({ text: 'import("./a.js") import.meta' });
});

test('only a script that waits before it has ended is asynchronous', () => {
  expect(asScript('await 1;export{};')).toContain('async function');
  expect(asScript('for await (const a of []) a; export {};')).toContain('async function');
  expect(
    asScript('const a = async () => { await 1; for await (const b of []) b; };'),
  ).not.toContain('run:(async');
});

test.each([
  ['let a = 1; const set = () => { a = 2; }; export { a, set };', 'exports a, which changes later'],
  ['let a = 1; function next() { return a++; } export { a, next };', 'exports a'],
  ['export * from "./a.js";', 'cannot be in a script: export *'],
  ['export { a } from "./a.js";', 'cannot be in a script: export { a }'],
  ['export const a = 1;', 'cannot be in a script: export const'],
  ['import { a } from "package";', 'import of package'],
  ['const name = "./a.js"; import(name);', 'cannot be in a script: import(name)'],
  ['import("package");', 'cannot be in a script: import("package")'],
  ['const $load = 1;', 'the name $load is taken'],
])('refused: %s', (code, why) => {
  expect(() => asScript(code)).toThrow(why);
});

test('a variable that changes until the script has ended is exported as it is then', async () => {
  const code = 'var Kind; (function(all) { all.a = 1; })(Kind || (Kind = {})); export { Kind };';
  expect(await run(code)).toEqual({ Kind: { a: 1 } });
});

test('the first file of a program stays a module, and imports the others later', () => {
  const code = 'import { join } from "node:path"; import("./chunks/a-1.js").then(join);';
  expect(asEntry(code)).toBe(
    'const {"join":join}=globalThis.process.getBuiltinModule("node:path"); $later("a-1.js").then(join);',
  );
  expect(() => asEntry('import { a } from "./chunks/a-1.js";')).toThrow('cannot be in a script');
});
