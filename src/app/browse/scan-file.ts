import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { followLinks } from '../../config/replace-file.ts';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { type ExportHeader, exportNcdu } from '../../size-tree/export-ncdu.ts';
import { type ImportedScan, importNcdu } from '../../size-tree/import-ncdu.ts';
import type { SizeTree } from '../../size-tree/size-tree.ts';
import type { Output } from '../command.ts';

/** Writes a scan in ncdu's format to a file, or to standard output for `-`. The file appears when it is complete. */
export async function writeScan(
  out: Output,
  path: string,
  tree: SizeTree,
  header: ExportHeader,
): Promise<void> {
  if (path === '-') {
    for (const text of exportNcdu(tree, header)) await out.write(text);
    return;
  }
  const target = await followLinks(path);
  const old = await stat(target).catch(() => undefined);
  // A pipe or a device is written into; a file in its place would be of no use to anybody.
  const isInPlace = old !== undefined && !old.isFile();
  const written = isInPlace ? target : `${target}.${process.pid}.partial`;
  try {
    const file = await open(written, 'w');
    try {
      for (const text of exportNcdu(tree, header)) await file.writeFile(nameToBytes(text));
    } finally {
      await file.close();
    }
    if (!isInPlace) await rename(written, target);
  } catch (cause) {
    if (!isInPlace) await rm(written, { force: true });
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new SyncerError('other', `cannot write to ${path}: ${reason}`, { path, cause });
  }
}

/** Reads a scan from a file, or from standard input for `-`. Rejects with `other` where it cannot be read. */
export async function readScan(path: string, stdin: () => Readable): Promise<ImportedScan> {
  try {
    return await importNcdu(path === '-' ? stdin() : createReadStream(path));
  } catch (cause) {
    const name = path === '-' ? 'standard input' : path;
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = cause instanceof SyncerError ? message : (code ?? message);
    throw new SyncerError('other', `cannot read ${name}: ${why}`, { path, cause });
  }
}
