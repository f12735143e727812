import { isUtf8 } from 'node:buffer';
import { collectBody } from '../../src/core/body.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import { differenceRows, type TextDifference } from '../../src/run/review/difference-rows.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';

/** The largest text that is compared, in bytes. */
const LARGEST = 64 * 1024;

/** How the two versions of a conflict differ; a sentence if they cannot be compared as text. */
export async function conflictDifference(
  { args, remotes, context }: Invocation,
  { path, source, dest }: PlannedChange,
): Promise<readonly TextDifference[] | string> {
  const sizes = [source?.size, dest?.size];
  if (sizes.some((size) => size === undefined || size < 0 || size > LARGEST)) {
    return 'Too large to compare here.';
  }
  const op = { signal: context.signal };
  const [left, right] = await Promise.all([
    textOf(await remotes.openDir(args[0] ?? ''), path, op),
    textOf(await remotes.openDir(args[1] ?? ''), path, op),
  ]);
  if (left === undefined || right === undefined) return 'Not a text.';
  return differenceRows(left, right);
}

/** The text of a file; `undefined` if it is none. */
async function textOf(remote: Remote, path: string, op: Op): Promise<string | undefined> {
  try {
    const file = await remote.stat(path, op);
    if (file?.kind !== 'file' || file.size > LARGEST) return undefined;
    const bytes = await collectBody(await remote.read(file, undefined, op), op.signal);
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
  } finally {
    await remote.close();
  }
}
