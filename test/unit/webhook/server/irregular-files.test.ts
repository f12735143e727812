import { execFileSync } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadHooks } from '../../../../src/webhook/file/load-hooks.ts';
import { HookLog } from '../../../../src/webhook/log/hook-log.ts';
import { HookStore } from '../../../../src/webhook/server/hook-store.ts';
import { watchFiles } from '../../../../src/webhook/server/watch-hooks.ts';

let folder: string;
let path: string;
const replaced = async (text: string) => {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
};
const replacedByPipe = async () => {
  execFileSync('mkfifo', [`${path}.pipe`]);
  await rename(`${path}.pipe`, path);
};
const HOOK = '[{"id": "a"}]';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'irregular-'));
  path = join(folder, 'hooks.json');
});
afterEach(() => rm(folder, { recursive: true }));

function storeOf(written: string[] = []): HookStore {
  const log = new HookLog((text) => void written.push(text));
  const load = (file: string, again: boolean) =>
    loadHooks(file, { template: false, env: {}, regularOnly: again });
  return new HookStore([path], load, log);
}

test('a hook file that became a pipe is not read again, and its hooks stay', async () => {
  const written: string[] = [];
  const store = storeOf(written);
  await replaced(HOOK);
  await store.loadAll();
  await replacedByPipe();
  await store.reload();
  expect(store.find('a')).toBeDefined();
  expect(written.join('')).toContain(`open ${path}: it is not a regular file`);
  await replaced('[{"id": "b"}]');
  await store.reload();
  expect(store.find('b')).toBeDefined();
});

test('neither is a pipe that hooks refer to', async () => {
  const store = storeOf();
  const file = join(folder, 'reference');
  await writeFile(file, 'one');
  await replaced(`[{"id": "a", "response-headers": [{"name": "X", "value": "\${file:${file}}"}]}]`);
  await store.loadAll();
  await rm(file);
  execFileSync('mkfifo', [file]);
  await store.reload();
  expect(store.find('a')?.responseHeaders).toEqual([['X', 'one']]);
});

test('an emptied file that a rule refers to opens no hook: the old value counts', async () => {
  const written: string[] = [];
  const store = storeOf(written);
  const file = join(folder, 'reference');
  await writeFile(file, 'one');
  const match = { type: 'value', value: `\${file:${file}}`, parameter: { source: 'url' } };
  await replaced(JSON.stringify([{ id: 'a', 'trigger-rule': { match } }]));
  await store.loadAll();
  await writeFile(file, '\n');
  await store.reload();
  expect(store.find('a')?.rule?.match?.value).toBe('one');
  expect(written.join('')).toContain(
    `hook "a": trigger-rule.match.value: \${file:${file}}: it is empty`,
  );
});

test('files are watched on behind one that was a pipe', async () => {
  await replaced(HOOK);
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const { promise: gone, resolve: isGone } = Promise.withResolvers<void>();
  const stop = await watchFiles(
    () => [path],
    async () => resolve(),
    () => isGone(),
  );
  await replacedByPipe();
  await gone;
  await replaced('[{"id": "b"}]');
  await seen;
  stop();
});
