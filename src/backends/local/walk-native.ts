import fs from 'node:fs';
import { nameFromBytes } from '../../core/name-bytes.ts';
import type { Op } from '../../core/remote.ts';
import { fsPath } from './fs-path.ts';
import { joinNative } from './read-names.ts';
import type { Turns } from './turns.ts';

/** What is called for what a walk finds, by absolute path. */
export interface Visitor {
  /** For everything but directories, symbolic links included. */
  readonly file: (path: string) => void;
  /** For a directory after all it holds; not for the one the walk began with. */
  readonly leaveDir?: (path: string) => void;
}

/** Walks all that lies below a directory, in no order, never through a symbolic link. Throws as `fs` does. */
export async function walkNative(
  dir: string,
  turns: Turns,
  op: Op,
  visitor: Visitor,
): Promise<void> {
  await turns.take();
  op.signal.throwIfAborted();
  const dirents = fs.readdirSync(fsPath(dir), { withFileTypes: true, encoding: 'buffer' });
  for (const dirent of dirents) {
    const path = joinNative(dir, nameFromBytes(dirent.name));
    if (dirent.isDirectory()) {
      await walkNative(path, turns, op, visitor);
      visitor.leaveDir?.(path);
    } else {
      await turns.take();
      op.signal.throwIfAborted();
      visitor.file(path);
    }
  }
}
