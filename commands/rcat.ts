import { Readable } from 'node:stream';
import type { Command, Invocation } from '../src/app/command.ts';
import { readHead, type SplitInput } from '../src/app/listing/read-head.ts';
import { splitFileSpec } from '../src/app/remotes/split-file-spec.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { SyncerError } from '../src/core/errors.ts';
import { modTimeFromMs } from '../src/core/mod-time.ts';
import type { WriteSource } from '../src/core/remote.ts';
import { skippedMessage } from '../src/sync/dry-run.ts';

/** `syncer rcat remote:path` */
export const rcatCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { args, flags, context, stdin } = invocation;
  const { dir, leaf } = splitFileSpec(args[0] ?? '');
  if ('isTTY' in stdin && stdin.isTTY === true) {
    throw new SyncerError('usage', 'nothing to read: pipe what is to be stored into syncer rcat');
  }
  const modTime = modTimeFromMs(context.clock.now());
  const remote = await invocation.openDir(dir);
  const input = await readHead(stdin, flags['streaming-upload-cutoff']);
  if (flags['dry-run']) return skip(invocation, leaf, input);
  const target = { path: leaf, modTime };
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

/** `--dry-run`: reads the input to its end, so that its writer is not cut off. */
async function skip(
  { context }: Invocation,
  path: string,
  { head, rest }: SplitInput,
): Promise<void> {
  if (rest !== undefined) for await (const _ of rest);
  const message =
    rest === undefined ? skippedMessage('copy', head.length) : skippedMessage('upload from pipe');
  context.emit({ type: 'log', level: 'notice', path, message });
}

/** Resolves when so many bytes more may pass (`--bwlimit`). */
type SlowDown = (bytes: number) => Promise<void>;

async function* slowedChunks(
  head: Buffer,
  rest: AsyncGenerator<Buffer>,
  slowDown: SlowDown,
): AsyncGenerator<Buffer> {
  await slowDown(head.length);
  yield head;
  for await (const chunk of rest) {
    await slowDown(chunk.length);
    yield chunk;
  }
}

type Target = Pick<WriteSource, 'path' | 'modTime'>;

function wholeSource(target: Target, content: Buffer): WriteSource {
  return {
    ...target,
    size: content.length,
    seekable: true,
    async open(range) {
      const { offset = 0, length = content.length } = range ?? {};
      return content.subarray(offset, offset + length);
    },
  };
}

function streamSource(
  target: Target,
  size: number | undefined,
  chunks: AsyncGenerator<Buffer>,
): WriteSource {
  return {
    ...target,
    size: size === undefined || size < 0 ? undefined : size,
    seekable: false,
    async open() {
      return Readable.from(chunks, { objectMode: false });
    },
  };
}
