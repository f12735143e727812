import type { ModTime } from './mod-time.ts';
import { parseRfc3339 } from './rfc3339.ts';

/**
 * What a file is besides its content: lower-case names and texts, as in rclone's `--metadata`; other bytes than UTF-8
 * as in names.
 */
export type Metadata = Readonly<Record<string, string>>;

/** That a copy is to have the metadata of its source (`--metadata`). */
export interface KeepMetadata {
  /** Added to it, and used instead of what has the same name (`--metadata-set`). */
  readonly set: Metadata;
}

/** The metadata of a copy. */
export function copiedMetadata(source: Metadata | undefined, { set }: KeepMetadata): Metadata {
  return { ...source, ...set };
}

/** The modification time that metadata tell (`mtime`); `undefined` where they tell none that can be read. */
export function modTimeIn(metadata: Metadata): ModTime | undefined {
  const text = metadata['mtime'];
  return text === undefined ? undefined : parseRfc3339(text);
}
