import { expect, test } from 'vitest';
import { decodeHookText } from '../../../../src/webhook/file/load-hooks.ts';
import { HookLog } from '../../../../src/webhook/log/hook-log.ts';
import { HookStore } from '../../../../src/webhook/server/hook-store.ts';

/** A store of two files; gives also what it warns of. */
async function storeOf(log: HookLog) {
  const files: Record<string, string> = { a: '[{"id": "one"}]', b: '[{"id": "two"}]' };
  const warned: string[] = [];
  const load = (path: string) =>
    decodeHookText(Buffer.from(files[path] ?? ''), { template: false, env: {} });
  const store = new HookStore(['a', 'b'], load, log, (line) => void warned.push(line));
  await store.loadAll();
  return { files, store, warned };
}

test('without a log, a reload of a file that cannot be used warns', async () => {
  const { files, store, warned } = await storeOf(new HookLog(undefined));
  files['a'] = '{}';
  await store.reload();
  expect(warned).toEqual([
    expect.stringMatching(
      /^couldn't load hooks from a: line 1, .*; the hooks loaded before stay in use$/,
    ),
  ]);
  files['a'] = '[{"id": "two"}]';
  await store.reload();
  expect(warned[1]).toContain('hook with the id two has already been loaded');
  expect(store.hooks.map(({ id }) => id)).toEqual(['one', 'two']);
});

test('a file without hooks that had some warns, once', async () => {
  const { files, store, warned } = await storeOf(new HookLog(undefined));
  files['a'] = '';
  await store.reload();
  await store.reload();
  expect(warned).toEqual(['a holds no hooks now: the 1 loaded before are removed']);
  expect(store.hooks.map(({ id }) => id)).toEqual(['two']);
});

test('where there is a log, that is all there is', async () => {
  const { files, store, warned } = await storeOf(new HookLog(() => {}));
  files['a'] = '{}';
  await store.reload();
  expect(warned).toEqual([]);
});

const idsOf = (store: HookStore) => store.hooks.map(({ id }) => id);

test('a hook moves to a file that is read before the one that held it', async () => {
  const { files, store, warned } = await storeOf(new HookLog(undefined));
  files['b'] = '[{"id": "two"}, {"id": "one"}]';
  await store.reload(['b']);
  expect(idsOf(store)).toEqual(['one', 'two']);
  files['a'] = '[{"id": "three"}]';
  await store.reload(['a']);
  expect(idsOf(store)).toEqual(['three', 'two', 'one']);
  expect(warned).toHaveLength(1);
});

test('two files swap their hooks', async () => {
  const { files, store } = await storeOf(new HookLog(undefined));
  [files['a'], files['b']] = [files['b'] ?? '', files['a'] ?? ''];
  await store.reload(['a']);
  expect(idsOf(store)).toEqual(['one', 'two']);
  await store.reload(['b']);
  expect(idsOf(store)).toEqual(['two', 'one']);
});

test('a refused file holds up no other, and is reported once', async () => {
  const { files, store, warned } = await storeOf(new HookLog(undefined));
  files['a'] = '[{"id": "two"}]';
  await store.reload(['a']);
  files['b'] = '[{"id": "two"}, {"id": "four"}]';
  await store.reload(['b']);
  expect(idsOf(store)).toEqual(['one', 'two', 'four']);
  expect(warned).toHaveLength(1);
  files['a'] = '[{"id": "five"}]';
  await store.reload(['a']);
  files['b'] = '[]';
  await store.reload(['b']);
  expect(idsOf(store)).toEqual(['five']);
});

test('a rule that lets in what it should refuse is reported at each load, with and without a log', async () => {
  const open = JSON.stringify([
    {
      id: 'one',
      'trigger-rule': { match: { type: 'value', parameter: { source: 'url', name: 'q' } } },
    },
  ]);
  const text = /^a: line 1, column \d+: hook "one": trigger-rule\.match\.value is missing: /;
  const { files, store, warned } = await storeOf(new HookLog(undefined));
  files['a'] = open;
  await store.reload();
  await store.reload();
  expect(warned).toEqual([expect.stringMatching(text), expect.stringMatching(text)]);
  expect(idsOf(store)).toEqual(['one', 'two']);
  const lines: string[] = [];
  const logged = await storeOf(new HookLog((line) => void lines.push(line.replace(/^.{30}/, ''))));
  logged.files['a'] = open;
  await logged.store.reload();
  expect(lines).toContainEqual(expect.stringMatching(text));
  expect(logged.warned).toEqual([]);
});
