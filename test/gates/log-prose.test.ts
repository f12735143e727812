import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findProseFaults } from '../../scripts/checks/prose-faults.ts';
import { readSourceFiles } from '../../scripts/checks/source-files.ts';

test('the engine and the backends emit codes and fields, and no prose', async () => {
  const files = await readSourceFiles(resolve(import.meta.dirname, '../..'));
  expect(findProseFaults(files)).toEqual([]);
});

const faultsOf = (path: string, text: string) => findProseFaults([{ path, text }]);

test.each([
  "run.log('info', file.path, 'Deleted the old file');",
  "run.log('info', path, 'message', { text });",
  "context.emit({ type: 'log', level: 'info', code: 'message', fields: { text } });",
  "\nemit({ type: 'log', level: 'info', code: 'deleted', fields: { why: `it was old, and` } });",
  "const event = { type: 'log', level, message: 'Deleted it' };",
  "const fields = { why: how === 1 ? 'not the same' : \"isn't there\" };",
])('a planted fault is found: %s', (code) => {
  const found = faultsOf('src/engine/a.ts', code);
  expect(found[0]).toMatch(/^src\/engine\/a\.ts:[12]: emits prose/);
  for (const path of ['src/shell/a.ts', 'commands/a.ts', 'src/webhook/a.ts', 'test/a.ts'])
    expect(faultsOf(path, code)).toEqual([]);
});

test.each([
  "run.log('info', file.path, 'deleted');",
  "run.log('debug', file.path, 'copy-retry', { ms, attempt, of: most, why: error });",
  "emit({ type: 'transfer-end', id, error });",
  "emit({ type: 'wait', ms, what: `write $".concat('{path}` });'),
  "// emit({ type: 'log', message: 'some words' })\nthrow new SyncerError('other', 'it failed');",
])('what is no prose is left alone: %s', (code) => {
  expect(faultsOf('src/engine/a.ts', code)).toEqual([]);
});
