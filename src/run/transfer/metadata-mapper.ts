import type { MapMetadata, Metadata } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { formatRfc3339NanoUtc } from '../../core/mod-time.ts';
import type { Remote } from '../../core/remote.ts';
import { goJson } from '../../go/go-json.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import { askProgram } from '../../system/ask-program.ts';

/**
 * `--metadata-mapper`: a program per file or directory gets JSON, with the fields of rclone's, and prints JSON whose
 * `Metadata` replaces the metadata of the copy. Rejects with `other` if the program fails, or prints anything else.
 */
export function metadataMapper(options: {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly source: Remote;
  readonly dest: Remote;
  readonly signal: AbortSignal;
  /** Shows what is sent and received (`--dump mapper`). */
  readonly dump?: ((text: string) => void) | undefined;
  /** Then a program that has not answered is killed. */
  readonly longestMs?: number;
}): MapMetadata {
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
    const { words, signal, longestMs = 60_000 } = options;
    const failure = (why: string) => {
      const message = `metadata mapper ${words[0] ?? ''} failed: ${why}`;
      return new SyncerError('other', message, { path: entry.path });
    };
    const answer = await askProgram({ words, text, signal, longestMs, failure });
    dump?.(`Metadata mapper received: \n${answer.trimEnd()}`);
    return metadataIn(answer, failure);
  };
}

/** The metadata of an answer; nothing else in it counts. */
function metadataIn(answer: string, failure: (why: string) => SyncerError): Metadata {
  let found: unknown;
  try {
    found = JSON.parse(answer);
  } catch (thrown) {
    throw failure(`its output is not JSON: ${(thrown as Error).message}`);
  }
  const metadata = isJsonObject(found) ? (found['Metadata'] ?? {}) : undefined;
  if (
    !isJsonObject(metadata) ||
    !Object.values(metadata).every((value) => typeof value === 'string')
  )
    throw failure('its output must be an object whose "Metadata" is an object of strings');
  return metadata as Metadata;
}

const shownName = ({ name, root }: Remote): string => (name === '' ? root : `${name}:${root}`);

function typeOf({ can: { place } }: Remote): string {
  const kind = place?.kind ?? '';
  return kind === 'disk' ? 'local' : kind === 'drive' ? 'onedrive' : kind;
}
