import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findLayerFaults } from '../../scripts/checks/layer-faults.ts';
import { CAPABILITY_USES } from '../../scripts/checks/layers.ts';
import { readSourceFiles } from '../../scripts/checks/source-files.ts';

const root = resolve(import.meta.dirname, '../..');

/** Faults of a tree of these files: path to text. */
const faultsOf = (files: Record<string, string>) =>
  findLayerFaults(Object.entries(files).map(([path, text]) => ({ path, text })));

test('the arrows of this repository point the right way, without cycles', async () => {
  const files = await readSourceFiles(root);
  expect(files.length).toBeGreaterThan(20);
  expect(findLayerFaults(files)).toEqual([]);
});

test.each([
  ['the core imports a backend', 'src/core/a.ts', 'src/backends/local/b.ts'],
  ['the engine imports a backend', 'src/engine/a.ts', 'src/backends/local/b.ts'],
  ['the engine imports the shell', 'src/engine/a.ts', 'src/shell/log/b.ts'],
  ['a pass imports another', 'src/engine/passes/a/b.ts', 'src/engine/passes/c.ts'],
  ['a pass imports one with flags', 'src/engine/passes/a.ts', 'src/engine/passes/b/c.ts'],
  ['the engine imports a pass with flags', 'src/engine/a.ts', 'src/engine/passes/b/c.ts'],
  ['a backend imports another', 'src/backends/s3/a.ts', 'src/backends/local/b.ts'],
  ['a backend imports the list of backends', 'src/backends/s3/a.ts', 'src/backends/index.ts'],
  ['the filter imports the engine', 'src/filter/a.ts', 'src/engine/b.ts'],
  ['src imports a command', 'src/run/review/a.ts', 'commands/ls.ts'],
  ['src imports a screen', 'src/run/review/a.ts', 'components/open.ts'],
  ['the shell imports a run', 'src/shell/log/a.ts', 'src/run/journal/b.ts'],
  ['a directory of the shell imports a higher floor', 'src/shell/log/a.ts', 'src/shell/help/b.ts'],
  ['a directory of a run imports one beside it', 'src/run/guards/a.ts', 'src/run/presence/b.ts'],
  ['a run imports a server', 'src/run/transfer/a.ts', 'src/serve/b.ts'],
  ['a run imports the hook server', 'src/run/presence/a.ts', 'src/webhook/control/b.ts'],
  ['the configuration imports screens', 'src/config/a.ts', 'src/terminal/b.ts'],
  ['the dialogues of config import screens', 'src/config/dialogue/a.ts', 'src/terminal/b.ts'],
  ['the hook server imports a higher floor', 'src/webhook/log/a.ts', 'src/webhook/file/b.ts'],
  [
    'a directory enters one below that is a layer of its own',
    'src/config/a.ts',
    'src/config/dialogue/b.ts',
  ],
  ['a cache imports another', 'src/caches/times/a.ts', 'src/caches/hashes/b.ts'],
  ['the hook server imports the engine', 'src/webhook/run/a.ts', 'src/engine/b.ts'],
  ['the hook server imports a backend', 'src/webhook/run/a.ts', 'src/backends/http/b.ts'],
  ['the hook server imports the mount', 'src/webhook/run/a.ts', 'src/vfs/b.ts'],
  ['the installer imports a command', 'installer/a.ts', 'commands/undo/use.ts'],
  ['the installer imports a run', 'installer/a.ts', 'src/run/remotes/b.ts'],
  ['a capability imports another past its use.ts', 'commands/trash/a.ts', 'commands/undo/b.ts'],
  ['a capability enters one that is not in its row', 'commands/undo/a.ts', 'commands/trash/use.ts'],
  ['a screen imports another', 'components/home/a.ts', 'components/browser/b.ts'],
  ['a command imports a screen past the door', 'commands/a/b.ts', 'components/browser/b.tsx'],
])('a planted fault is found: %s', (_, from, to) => {
  const specifier = `${'../'.repeat(from.split('/').length - 1)}${to}`;
  const wrong = [`${from} must not import ${to}`];
  expect(faultsOf({ [from]: `import { b } from '${specifier}';\n`, [to]: '' })).toEqual(wrong);
  expect(faultsOf({ [from]: `import type { B } from '${specifier}';\n`, [to]: '' })).toEqual(wrong);
  expect(faultsOf({ [from]: `import {\n  b,\n  c,\n} from '${specifier}';\n`, [to]: '' })).toEqual(
    wrong,
  );
  expect(faultsOf({ [from]: `export * from '${specifier}';\n`, [to]: '' })).toEqual(wrong);
  expect(faultsOf({ [from]: `const b = await import('${specifier}');\n`, [to]: '' })).toEqual(
    wrong,
  );
});

test.each([
  ['the core imports a package', 'src/core/a.ts', 'undici'],
  ['src imports Ink', 'src/shell/log/a.ts', 'ink'],
  ['a backend starts threads of its own', 'src/backends/local/a.ts', 'node:worker_threads'],
  ['a command imports React', 'commands/a.ts', 'react/jsx-runtime'],
  ['a command imports a part of Ink', 'commands/a.ts', 'ink-select-input'],
])('a planted fault is found: %s', (_, path, name) => {
  expect(faultsOf({ [path]: `import x from '${name}';\n` })).toEqual([
    `${path} must not import ${name}`,
  ]);
});

test('what is allowed passes', () => {
  const files = {
    'src/core/a.ts': "import { Buffer } from 'node:buffer';\n",
    'src/backends/backend.ts': "import type { A } from '../core/a.ts';\n",
    'src/backends/s3/s3.ts':
      "import { A } from '../../core/a.ts';\nimport x from 'undici';\nimport { b } from './sign/b.ts';\nimport type { C } from '../backend.ts';\n",
    'src/backends/s3/sign/b.ts': '',
    'src/backends/index.ts': "export const load = () => import('./s3/s3.ts');\n",
    'components/open.ts': "export const open = () => import('./browser/b.tsx');\n",
    'components/browser/b.tsx': "import { Box } from 'ink';\n",
    'commands/ls.ts': "import { open } from '../components/open.ts';\n",
    'commands/index.ts': "export const load = () => import('./ls.ts');\n",
    'src/main.ts': "const { commands } = await import('../commands/index.ts');\n",
    'test/a.test.ts': "import '../src/main.ts';\n",
  };
  expect(faultsOf(files)).toEqual([]);
});

test('planted faults are found: a cycle, a directory without a layer', () => {
  const cycle = {
    'src/core/a.ts': "import './b.ts';\n",
    'src/core/b.ts': "import type { C } from './c.ts';\n",
    'src/core/c.ts': "export { a } from './a.ts';\n",
  };
  expect(faultsOf(cycle)).toEqual([
    'import cycle: src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts',
  ]);
  expect(faultsOf({ 'src/new/a.ts': '' })).toEqual([
    'src/new/a.ts lies in no layer: add one to scripts/checks/layers.ts',
  ]);
});

test('no capability enters another that enters it', () => {
  const enters = (name: string, from: string): boolean =>
    (CAPABILITY_USES[name] ?? []).some((used) => used === from || enters(used, from));
  expect(Object.keys(CAPABILITY_USES).filter((name) => enters(name, name))).toEqual([]);
});

test('an import in a comment is none, one reached late closes no cycle', () => {
  expect(faultsOf({ 'src/core/a.ts': "/**\n * import('../app/b.ts')\n */\n" })).toEqual([]);
  expect(
    faultsOf({ 'src/core/a.ts': "import './b.ts';\n", 'src/core/b.ts': "import('./a.ts');\n" }),
  ).toEqual([]);
});
