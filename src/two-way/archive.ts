import { createHash } from 'node:crypto';
import type { Agreed } from './decide-two-way.ts';
import type { Mark } from './mark.ts';

/** A file about which both sides agreed. */
export interface AgreedFile extends Agreed {
  /** Its path on the second side, if names that count as equal are not identical. */
  readonly bPath?: string;
}

/** What both sides had when they last agreed. */
export interface Archive {
  /** Identities of both roots: the archive of another pair is never used. */
  readonly roots: readonly [a: string, b: string];
  /** When the run ended, in milliseconds since the epoch. */
  readonly endedMs: number;
  /** By path on the first side. */
  readonly files: ReadonlyMap<string, AgreedFile>;
  /** Directories that both sides had. */
  readonly dirs: ReadonlySet<string>;
}

/** The first line of an archive. */
interface Head {
  readonly bisync: 1;
  readonly roots: readonly [string, string];
  readonly endedMs: number;
}

type PackedMark = readonly [
  size: number,
  modTime: string,
  storedTime: string,
  tag: string | null,
  hash: string | null,
  isYoung: 0 | 1,
  /** Absent also in archives of earlier versions. */
  id?: string,
];

/**
 * The archive as lines of JSON: a head, a line for each file and directory, and an end with their number and the
 * SHA-256 of everything before it, without which the archive counts as damaged.
 */
export function* archiveLines({ roots, endedMs, files, dirs }: Archive): Generator<string> {
  const hash = createHash('sha256');
  const line = (value: unknown) => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  yield line({ bisync: 1, roots, endedMs } satisfies Head);
  for (const [path, { a, b, bPath }] of files) {
    yield line(['f', path, packed(a), packed(b), ...(bPath === undefined ? [] : [bPath])]);
  }
  for (const path of dirs) yield line(['d', path]);
  yield `${JSON.stringify({ entries: files.size + dirs.size, sha256: hash.digest('hex') })}\n`;
}

/**
 * Reads an archive. Throws an error that says what is wrong if it is damaged, cut short, of another pair, or of a later
 * version.
 */
export function parseArchive(text: string, roots: Archive['roots']): Archive {
  const lastLine = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, lastLine);
  const end = parse(text.slice(lastLine)) as { entries?: unknown; sha256?: unknown } | null;
  const digest = createHash('sha256').update(body).digest('hex');
  if (!text.endsWith('\n') || end?.sha256 !== digest) throw new Error('it is damaged or cut short');
  const [first = '', ...lines] = body.trimEnd().split('\n');
  const head = parse(first) as Partial<Head> | null;
  if (head?.bisync !== 1) throw new Error('it was written by another version');
  if (head.roots?.[0] !== roots[0] || head.roots[1] !== roots[1]) {
    throw new Error('it belongs to other directories');
  }
  const files = new Map<string, AgreedFile>();
  const dirs = new Set<string>();
  for (const line of lines) {
    const [kind, path, a, b, bPath] = JSON.parse(line) as [
      ...[kind: string, path: string, a: PackedMark, b: PackedMark, bPath?: string],
    ];
    if (kind === 'd') dirs.add(path);
    else {
      const marks = { a: unpacked(a), b: unpacked(b) };
      files.set(path, bPath === undefined ? marks : { ...marks, bPath });
    }
  }
  return { roots, endedMs: head.endedMs ?? 0, files, dirs };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function packed({ size, modTime, storedTime, tag, hash, isYoung, id }: Mark): PackedMark {
  const time = (value: bigint | undefined) => (value === undefined ? '' : value.toString());
  const mark = [
    ...([size, time(modTime), time(storedTime), tag ?? null, hash ?? null] as const),
    isYoung === true ? 1 : 0,
  ] as const;
  return id === undefined ? mark : [...mark, id];
}

function unpacked([size, modTime, storedTime, tag, hash, isYoung, id]: PackedMark): Mark {
  return {
    size,
    ...(modTime === '' ? {} : { modTime: BigInt(modTime) }),
    ...(storedTime === '' ? {} : { storedTime: BigInt(storedTime) }),
    ...(tag === null ? {} : { tag }),
    ...(hash === null ? {} : { hash }),
    ...(id === undefined ? {} : { id }),
    ...(isYoung === 1 ? { isYoung: true } : {}),
  };
}
