import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { withBandwidth } from '../../../../commands/mount/with-bandwidth.ts';
import { collectBody } from '../../../../src/core/body.ts';
import { abortable } from '../../../../src/core/context.ts';
import type { Op, Remote, WriteSource } from '../../../../src/core/remote.ts';
import type { Bandwidth } from '../../../../src/engine/run.ts';
import { contentsOf, remoteBut, remoteWith } from '../../../support/memory-world.ts';

const op: Op = { signal: new AbortController().signal };
const chunks = ['one', 'three'].map((text) => Buffer.from(text));

/** A remote in memory, behind a limit that notes what it lets through. */
async function limitedRemote(changes: Partial<Remote> = {}) {
  const passed: string[] = [];
  const bandwidth: Bandwidth = {
    isLimited: () => true,
    async take(bytes, { up, down }) {
      passed.push(`${bytes}${up ? ' up' : ''}${down ? ' down' : ''}`);
    },
  };
  const inner = await remoteWith({ there: 'content' });
  const far = { ...changes, traits: { ...inner.traits, onDisk: false } };
  return { remote: withBandwidth(remoteBut(inner, far), bandwidth), passed };
}

test('a mount reads content within --bwlimit, in memory or as a stream', async () => {
  for (const [body, expected] of [
    [Buffer.from('onethree'), ['8 down']],
    [Readable.from(chunks), ['3 down', '5 down']],
  ] as const) {
    const { remote, passed } = await limitedRemote({ read: async () => body });
    const file = await remote.stat('there', op);
    if (file?.kind !== 'file') throw new Error('no file');
    const read = await remote.read(file, undefined, op);
    expect(String(await collectBody(read, op.signal))).toBe('onethree');
    expect(passed).toEqual(expected);
  }
});

test('a mount uploads content within --bwlimit', async () => {
  const { remote, passed } = await limitedRemote();
  const open: WriteSource['open'] = async () => Readable.from(chunks);
  await remote.write({ path: 'new', size: 8, seekable: false, open }, op);
  expect(passed).toEqual(['3 up', '5 up']);
  expect(await contentsOf(remote)).toMatchObject({ new: expect.stringContaining('onethree') });
});

test('a read that is aborted does not wait for the limit', async () => {
  const inner = await remoteWith({ there: 'content' });
  const never: Bandwidth = {
    isLimited: () => true,
    take: (_bytes, _route, signal) => abortable(new Promise<void>(() => {}), signal),
  };
  const remote = withBandwidth(inner, never);
  const ends = new AbortController();
  const file = await remote.stat('there', op);
  if (file?.kind !== 'file') throw new Error('no file');
  const reading = remote
    .read(file, undefined, { signal: ends.signal })
    .then((body) => collectBody(body, ends.signal));
  ends.abort(new Error('closed'));
  await expect(reading).rejects.toThrow('closed');
});
