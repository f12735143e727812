import { fstatSync } from 'node:fs';
import { plainRemoteSpec } from '../../src/config/remote-spec.ts';
import { wholeSource } from '../../src/core/body.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { modTimeFromMs } from '../../src/core/mod-time.ts';
import type { Op, WriteSource } from '../../src/core/remote.ts';
import { mayChange } from '../../src/engine/consent.ts';

import { splitFileSpec } from '../../src/run/remotes/file-or-directory.ts';
import {
  promisedChunks,
  readHead,
  type SlowDown,
  shownTransfer,
  slowedChunks,
  streamSource,
  uploadTarget,
} from '../../src/run/transfer/input-source.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type {
  Changing,
  CommandCall,
  Remotes,
  StandardInput,
} from '../../src/shell/command-line/command.ts';
import type { RCAT_FLAGS } from './command.ts';

export async function rcatCommand(
  invocation: CommandCall<typeof RCAT_FLAGS> & Remotes & StandardInput & Changing,
): Promise<void> {
  const { args, flags, context } = invocation;
  const stdin = invocation.input();
  const { dir, leaf } = splitFileSpec(args[0] ?? '');
  // A terminal or a device such as `/dev/null`: nothing was piped, as in rclone.
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  const descriptor = 'fd' in stdin ? stdin.fd : undefined;
  const isFile = typeof descriptor === 'number';
  if (isTerminal || (isFile && fstatSync(descriptor).isCharacterDevice())) {
    throw new SyncerError('usage', 'nothing to read: pipe the data into syncer rcat');
  }
  const plain = uploadTarget(invocation, leaf, modTimeFromMs(context.clock.now()));
  // The input cannot be read again.
  const target = { ...plain, metadataMayFail: true } as const;
  const remote = await invocation.remotes.openDir(dir);
  context.emit({ type: 'sides', dest: plainRemoteSpec(dir) });
  const { head, rest } = await readHead(stdin, flags['streaming-upload-cutoff']);
  const change = { do: 'other', words: 'upload from pipe', about: leaf } as const;
  if (!(await mayChange(invocation, change))) {
    // The writer of the input must not fail.
    if (rest !== undefined) for await (const _ of rest);
    return;
  }
  const size = flags['rcat-size'] ?? -1;
  const route = { up: !remote.traits.onDisk, down: false };
  const pass: SlowDown = async (bytes) => invocation.bandwidth?.take(bytes, route, context.signal);
  const store = (id: number, source: WriteSource, op: Op) =>
    shownTransfer(context, { id, path: leaf, size: source.size ?? -1 }, async () => {
      // Whether there is a file already, only undo needs to know.
      await remote.write(source, { ...op, change: { replaces: 'look' } });
      if (rest === undefined) context.emit({ type: 'transfer-bytes', id, bytes: head.length });
    });
  if (rest === undefined) {
    if (size >= 0) for await (const _ of promisedChunks([head], size));
    await pass(head.length);
    const source = wholeSource(target, head);
    await runAttempts(invocation, ({ op, ids }) => store(++ids.last, source, op));
    return;
  }
  const id = 1;
  const chunks = slowedChunks(head, rest, async (bytes) => {
    context.emit({ type: 'transfer-bytes', id, bytes });
    await pass(bytes);
  });
  const source =
    size < 0
      ? streamSource(target, undefined, chunks)
      : streamSource(target, size, promisedChunks(chunks, size));
  await store(id, source, { signal: context.signal });
}
