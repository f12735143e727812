import type { Hashes, HashName } from '../../core/hash-names.ts';
import { parseRfc3339 } from '../../core/mod-time.ts';
import type { Entry, FileEntry } from '../../core/remote.ts';
import type { RcloneAnswer } from './rclone-process.ts';

/** An entry of `operations/list` and `operations/stat`. */
interface Item {
  readonly Path: string;
  readonly Size: number;
  readonly ModTime?: string;
  readonly MimeType?: string;
  readonly IsDir: boolean;
  readonly ID?: string;
  readonly Tier?: string;
  readonly IsBucket?: boolean;
  readonly Hashes?: Readonly<Record<string, string>>;
  readonly Metadata?: Readonly<Record<string, string>>;
}

/** What entries of a remote have. */
export interface RcloneEntryRules {
  /** The path of the root, with which the paths of rclone begin. */
  readonly root: string;
  /** Hashes of these types are read. */
  readonly hashes: readonly HashName[];
  /** It keeps modification times. */
  readonly hasTimes: boolean;
}

/** The entries of the answer of `operations/list`. */
export function entriesOf(rules: RcloneEntryRules, answer: RcloneAnswer): Entry[] {
  return ((answer['list'] ?? []) as readonly Item[]).map((item) => entryOf(rules, item));
}

/** The entry of the answer of `operations/stat`; `undefined` if nothing is there. */
export function statEntry(rules: RcloneEntryRules, answer: RcloneAnswer): Entry | undefined {
  const item = answer['item'] as Item | null | undefined;
  return item == null ? undefined : entryOf(rules, item);
}

function entryOf(rules: RcloneEntryRules, item: Item): Entry {
  const path = rules.root === '' ? item.Path : item.Path.slice(rules.root.length + 1);
  const modTime = rules.hasTimes && item.ModTime ? parseRfc3339(item.ModTime) : undefined;
  const shared = {
    path,
    ...(modTime === undefined ? {} : { modTime }),
    ...(item.ID ? { id: item.ID } : {}),
    ...(item.Metadata === undefined ? {} : { metadata: item.Metadata }),
  };
  if (item.IsDir) {
    return { kind: 'dir', ...shared, ...(item.IsBucket === true ? { isBucket: true } : {}) };
  }
  const file: FileEntry = {
    kind: 'file',
    ...shared,
    size: item.Size,
    ...(item.MimeType ? { mimeType: item.MimeType } : {}),
    ...(item.Tier ? { tier: item.Tier } : {}),
    ...(item.Hashes === undefined ? {} : { hashes: hashesOf(rules, item.Hashes) }),
  };
  return file;
}

function hashesOf({ hashes }: RcloneEntryRules, told: Readonly<Record<string, string>>): Hashes {
  const known = hashes.flatMap((name) => (told[name] ? [[name, told[name]]] : []));
  return Object.fromEntries(known) as Hashes;
}
