import type { Op } from '../../core/remote.ts';
import type { ContentAccess, OpenContent } from '../contents/file-contents.ts';
import type { OpenedFile, OpenFlags } from '../mount-ops.ts';
import { entryOf, type FileNode } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** An open file. */
export interface FileHandle {
  readonly node: FileNode;
  readonly content: OpenContent;
  readonly canWrite: boolean;
}

/** Opens the content of a file at its path, or at the one it is about to have; the caller holds its directory. */
export async function openContent(
  vfs: VfsParts,
  node: FileNode,
  path: string,
  flags: OpenFlags,
  op: Op,
): Promise<FileHandle> {
  const access: ContentAccess = {
    read: flags.read,
    write: flags.write,
    truncate: flags.truncate && flags.write,
  };
  const content = await vfs.contents.open(path, entryOf(node, path), access, op);
  node.opened ??= [];
  node.opened.push(content);
  const isNew = node.entry === undefined;
  if (flags.write && (isNew || flags.truncate)) node.isDirty = true;
  return { node, content, canWrite: flags.write };
}

/** How the kernel is to treat what was opened. */
export function howOpened(handle: number, { node, content }: FileHandle): OpenedFile {
  const keepCache = node.hasPages;
  node.hasPages = true;
  return { handle, keepCache, directIo: content.size() < 0 };
}
