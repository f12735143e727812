import { open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { goErrno } from '../../go/go-texts.ts';
import { makeFolder } from '../../system/make-folder.ts';
import type { Output } from './output.ts';

/** Opens a file instead of standard output; an existing one is overwritten. `title` names it in errors. */
export async function openOutputFile(path: string, title = path) {
  const failed = (cause: unknown) =>
    new SyncerError('other', `cannot write to ${title}: ${goErrno(cause)}`, { path, cause });
  const file = await open(path, 'w').catch((cause) => {
    throw failed(cause);
  });
  let last: Promise<void> = Promise.resolve();
  return {
    colour: false,
    isTerminal: false,
    write(data: string | Uint8Array) {
      const bytes = typeof data === 'string' ? nameToBytes(data) : data;
      last = last.then(() =>
        file.writeFile(bytes).catch((cause) => {
          throw failed(cause);
        }),
      );
      return last;
    },
    close: () => file.close(),
  };
}

/** Runs `task` with standard output, or with the file at `path`, the value of `flag`, if there is one. */
export async function withOutput(
  out: Output,
  flag: string,
  path: string | undefined,
  task: (out: Output) => Promise<void>,
): Promise<void> {
  if (path === undefined || path === '') return task(out);
  const file = await openOutputFile(path, `${flag} ${path}`);
  try {
    await task(file);
  } finally {
    await file.close();
  }
}

/** Writes a file and creates its directory. Rejects with `other` on failure. */
export async function writeTextFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeFile(path, text);
  } catch (cause) {
    throw new SyncerError('other', `${path} cannot be written: ${goErrno(cause)}`, { path, cause });
  }
}
