import { expect, test } from 'vitest';
import { metadataMapper } from '../../../../src/run/transfer/metadata-mapper.ts';
import { remoteWith } from '../../../support/memory-world.ts';

const entry = { kind: 'file', path: 'd/a.txt', size: 3, modTime: 1_500_000_000n } as const;

async function mapWith(script: string, more = {}) {
  const remote = await remoteWith({});
  const signal = new AbortController().signal;
  const words = ['/bin/sh', '-c', script, 'two words'];
  const options = { words, source: remote, dest: remote, signal, ...more };
  return metadataMapper(options)(entry, { mode: '100644', none: '' });
}

test('gets the entry as JSON, and its answer is all of the metadata', async () => {
  const shown: string[] = [];
  const script = 'cat >/dev/null; printf \'{"Metadata": {"a": "%s"}, "Remote": "other"}\' "$0"';
  expect(await mapWith(script, { dump: (text: string) => shown.push(text) })).toEqual({
    a: 'two words',
  });
  const [sent = '', received] = shown;
  expect(JSON.parse(sent.replace(/^.*: \n/, ''))).toMatchObject({
    ...{ Remote: 'd/a.txt', Size: 3, ModTime: '1970-01-01T00:00:01.5Z', IsDir: false },
    ...{ MimeType: expect.stringContaining('text/plain'), Metadata: { mode: '100644', none: '' } },
  });
  expect(received).toContain('two words');
});

test.each([
  ['', {}],
  ['{}', {}],
  ['{"Metadata": null}', {}],
  ['{"Metadata": {"é": "ü"}}', { é: 'ü' }],
])('the answer %s', async (answer, expected) => {
  const script = `printf '%s' '${answer || '{}'}'`;
  expect(await mapWith(script)).toEqual(expected);
});

test.each([
  ['exit 3', 'exit status 3'],
  ['echo oops >&2; exit 1', 'oops'],
  ['kill -9 $$', 'killed by SIGKILL'],
  ['echo notjson', 'its output is not JSON'],
  ['true', 'its output is not JSON'],
  ['echo []', 'an object of strings'],
  ['echo \'{"Metadata": {"a": 1}}\'', 'an object of strings'],
  ['echo \'{"Metadata": []}\'', 'an object of strings'],
])('%s fails the file', async (script, why) => {
  const failure = { code: 'other', path: 'd/a.txt', message: expect.stringContaining(why) };
  await expect(mapWith(script)).rejects.toMatchObject(failure);
});

test('a program that is missing or never answers fails the file, and ends with what it started', async () => {
  await expect(mapWith('', { words: ['/no/such program'] })).rejects.toMatchObject({
    message: expect.stringContaining('ENOENT'),
  });
  await expect(mapWith('sleep 1000 & sleep 1000', { longestMs: 50 })).rejects.toMatchObject({
    message: expect.stringContaining('no answer after 0.05s'),
  });
});

test('an aborted run ends it', async () => {
  const aborting = new AbortController();
  const mapping = mapWith('sleep 1000', { signal: aborting.signal });
  setTimeout(() => aborting.abort(new Error('enough')), 10);
  await expect(mapping).rejects.toThrow('enough');
  const ended = AbortSignal.abort(new Error('before'));
  await expect(mapWith('sleep 1000', { signal: ended })).rejects.toThrow('before');
});
