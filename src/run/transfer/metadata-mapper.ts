import type { MapMetadata, MappedEntry, Metadata } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import { formatRfc3339NanoUtc } from '../../core/mod-time.ts';
import type { Remote } from '../../core/remote.ts';
import { goJson } from '../../go/go-json.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import { askProgram } from '../../system/ask-program.ts';

/** A program that has not answered by then is killed, in milliseconds. */
const LONGEST_MS = 60_000;

/** What a mapper is started with. */
export interface MapperOptions {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly source: Remote;
  readonly dest: Remote;
  readonly signal: AbortSignal;
  /** Shows what is sent and received (`--dump mapper`). */
  readonly dump?: ((text: string) => void) | undefined;
  readonly longestMs?: number;
}

/**
 * `--metadata-mapper`: a program per file or directory gets JSON, with the fields of rclone's, and prints JSON whose
 * `Metadata` replaces the metadata of the copy. Rejects with `other` if the program fails, or prints anything else.
 */
export function metadataMapper(options: MapperOptions): MapMetadata {
  const { source, dest, dump } = options;
  const mimeTypes = systemMimeTypes();
  return async (entry, metadata) => {
    const isDir = entry.kind === 'dir';
    const { modTime, mimeType } = entry;
    const item = {
      SrcFs: shownName(source),
      SrcFsType: typeOf(source),
      DstFs: shownName(dest),
      DstFsType: typeOf(dest),
      Remote: entry.path,
      Size: entry.size ?? -1,
      MimeType: isDir ? 'inode/directory' : (mimeType ?? mimeTypes(entry.path)),
      ModTime: modTime === undefined ? undefined : formatRfc3339NanoUtc(modTime),
      IsDir: isDir,
      ID: entry.id,
      Metadata: { ...metadata },
    };
    const text = `${goJson(item, '\t')}\n`;
    dump?.(`Metadata mapper sent: \n${text.trimEnd()}`);
    const { words, signal, longestMs = LONGEST_MS } = options;
    const [program = ''] = words;
    const failed = (why: string) => failure(program, why, entry.path);
    const answer = await askProgram({ words, text, signal, longestMs, failure: failed });
    dump?.(`Metadata mapper received: \n${answer.trimEnd()}`);
    return metadataIn(answer, entry, program);
  };
}

/** The metadata of an answer; nothing else in it counts. */
function metadataIn(answer: string, { path }: MappedEntry, program: string): Metadata {
  let found: unknown;
  try {
    found = JSON.parse(answer);
  } catch (thrown) {
    throw failure(program, `its output is not JSON: ${(thrown as Error).message}`, path);
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const metadata = isObject(found) ? (found['Metadata'] ?? {}) : undefined;
  if (!isObject(metadata) || !Object.values(metadata).every((value) => typeof value === 'string')) {
    const why = 'its output must be an object whose "Metadata" is an object of strings';
    throw failure(program, why, path);
  }
  return metadata as Metadata;
}

function failure(program: string, why: string, path: string): SyncerError {
  return new SyncerError('other', `metadata mapper ${program} failed: ${why}`, { path });
}

function shownName({ name, root }: Remote): string {
  return name === '' ? root : `${name}:${root}`;
}

function typeOf({ can: { place } }: Remote): string {
  const kind = place?.kind ?? '';
  return kind === 'disk' ? 'local' : kind === 'drive' ? 'onedrive' : kind;
}
