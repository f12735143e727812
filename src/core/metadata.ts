import type { ModTime } from './mod-time.ts';
import { parseRfc3339 } from './rfc3339.ts';

/**
 * The properties of a file besides its content: lower-case names and texts, as in rclone's `--metadata`; bytes that
 * are not UTF-8 as in names.
 */
export type Metadata = Readonly<Record<string, string>>;

/** A copy gets the metadata of its source (`--metadata`). */
export interface KeepMetadata {
  /** Added to it, or replacing values of the same name (`--metadata-set`). */
  readonly set: Metadata;
}

/** The metadata of a copy. */
export function copiedMetadata(source: Metadata | undefined, { set }: KeepMetadata): Metadata {
  return { ...source, ...set };
}

/** The modification time in metadata (`mtime`); `undefined` if there is none that can be read. */
export function modTimeIn(metadata: Metadata): ModTime | undefined {
  const text = metadata['mtime'];
  return text === undefined ? undefined : parseRfc3339(text);
}
