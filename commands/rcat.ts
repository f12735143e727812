import type { Command, Invocation } from '../src/app/command.ts';
import { readHead, type SplitInput } from '../src/app/listing/read-head.ts';
import { splitFileSpec } from '../src/app/remotes/split-file-spec.ts';
import {
  type SlowDown,
  slowedChunks,
  streamSource,
  wholeSource,
} from '../src/app/transfer/input-source.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { uploadTarget } from '../src/app/transfer/upload-target.ts';
import { SyncerError } from '../src/core/errors.ts';
import { modTimeFromMs } from '../src/core/mod-time.ts';
import { mayChange } from '../src/sync/change-guard.ts';

/** `syncer rcat remote:path` */
export const rcatCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { args, flags, context, stdin } = invocation;
  const { dir, leaf } = splitFileSpec(args[0] ?? '');
  if ('isTTY' in stdin && stdin.isTTY === true) {
    throw new SyncerError('usage', 'nothing to read: pipe what is to be stored into syncer rcat');
  }
  const target = uploadTarget(invocation, leaf, modTimeFromMs(context.clock.now()));
  const remote = await invocation.openDir(dir);
  const input = await readHead(stdin, flags['streaming-upload-cutoff']);
  if (!(await mayStore(invocation, leaf, input))) return;
  const route = { up: !remote.traits.onDisk, down: false };
  const slowDown: SlowDown = async (bytes) =>
    invocation.bandwidth?.take(bytes, route, context.signal);
  const { head, rest } = input;
  if (rest === undefined) {
    await slowDown(head.length);
    const source = wholeSource(target, head);
    await runAttempts(invocation, async ({ op }) => {
      await remote.write(source, op);
    });
    return;
  }
  const source = streamSource(target, flags['rcat-size'], slowedChunks(head, rest, slowDown));
  await remote.write(source, { signal: context.signal });
}

/** Where nothing may be stored, the input is read to its end, so that its writer is not cut off. */
async function mayStore(
  invocation: Invocation,
  about: string,
  { head, rest }: SplitInput,
): Promise<boolean> {
  const change =
    rest === undefined
      ? { action: 'copy', about, size: head.length }
      : { action: 'upload from pipe', about };
  if (await mayChange(invocation, change)) return true;
  if (rest !== undefined) for await (const _ of rest);
  return false;
}
