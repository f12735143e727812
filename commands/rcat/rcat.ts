import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { plainRemoteSpec } from '../../src/config/remote-spec.ts';
import { wholeSource } from '../../src/core/body.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { modTimeFromMs } from '../../src/core/mod-time.ts';
import type { Op, WriteSource } from '../../src/core/remote.ts';
import { mayChange } from '../../src/engine/approval.ts';

import { splitFileSpec } from '../../src/run/remotes/file-or-directory.ts';
import {
  promisedChunks,
  readHead,
  type SlowDown,
  type SplitInput,
  shownTransfer,
  slowedChunks,
  streamSource,
  uploadTarget,
} from '../../src/run/transfer/input-source.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { RCAT_FLAGS } from './command.ts';

/** `syncer rcat remote:path` */
export async function rcatCommand(invocation: Invocation<typeof RCAT_FLAGS>): Promise<void> {
  const { args, flags, context } = invocation;
  const stdin = invocation.input();
  const { dir, leaf } = splitFileSpec(args[0] ?? '');
  if (isDevice(stdin)) {
    throw new SyncerError('usage', 'nothing to read: pipe the data into syncer rcat');
  }
  const plain = uploadTarget(invocation, leaf, modTimeFromMs(context.clock.now()));
  // The input cannot be read again.
  const target = { ...plain, metadataMayFail: true } as const;
  const remote = await invocation.remotes.openDir(dir);
  context.emit({ type: 'sides', dest: plainRemoteSpec(dir) });
  const input = await readHead(stdin, flags['streaming-upload-cutoff']);
  const { head, rest } = input;
  if (!(await mayStore(invocation, leaf, input))) return;
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
    await runAttempts(invocation, ({ op, nextId }) => store(nextId(), source, op));
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

/** Whether standard input is a terminal or a device such as `/dev/null`: nothing was piped, as in rclone. */
function isDevice(stdin: Readable): boolean {
  if ('isTTY' in stdin && stdin.isTTY === true) return true;
  const descriptor = 'fd' in stdin ? stdin.fd : undefined;
  return typeof descriptor === 'number' && fstatSync(descriptor).isCharacterDevice();
}

/** If nothing may be stored, reads the input to its end, so that its writer does not fail. */
async function mayStore(
  invocation: Invocation<typeof RCAT_FLAGS>,
  about: string,
  { rest }: SplitInput,
): Promise<boolean> {
  if (await mayChange(invocation, { do: 'other', words: 'upload from pipe', about })) return true;
  if (rest !== undefined) for await (const _ of rest);
  return false;
}
