import { figure, harmless } from '../../src/core/shown-text.ts';
import {
  duplicatesBelow,
  extraBytes,
  type Likeness,
  type ReadContents,
} from '../../src/size-tree/duplicate-files.ts';
import {
  eachFileBelow,
  extensionKey,
  extensionOf,
  type FilesBelow,
  type GroupKey,
  type ListedFiles,
  largestBelow,
} from '../../src/size-tree/files-below.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { plainSize } from '../../src/terminal/figures.ts';

/** Files below a directory that come together in one row. */
export interface ViewGroup {
  readonly name: string;
  readonly size: number;
  readonly files: number;
  /** Files that are compared when they have been read. */
  readonly unread?: readonly NodeId[];
  /** Its files, the largest first. */
  list(most: number): Generator<void, ListedFiles>;
}

/** A view of the files below a directory. */
export interface FileView {
  /** For the row of views. */
  readonly name: string;
  /** What its rows are, in a sentence. */
  readonly about: string;
  /** Where it is no view of groups, the files alone. */
  readonly groups?: (
    below: FilesBelow,
    nowMs: number,
    contents: ReadContents,
  ) => Generator<void, readonly ViewGroup[]>;
}

/** All views, in the order of their keys. */
export const FILE_VIEWS: readonly FileView[] = [
  { name: 'largest', about: 'the largest files' },
  {
    name: 'extension',
    about: 'files by extension',
    groups: (below) =>
      grouped(
        below,
        (file) => extensionKey(below.tree, file),
        (key) => (key === '' ? 'no extension' : `.${harmless(extensionOf(key))}`),
      ),
  },
  {
    name: 'age',
    about: 'files by the time since they were modified',
    *groups(below, nowMs) {
      const keyOf = (file: NodeId) => {
        const days = (nowMs - below.tree.timeMs(file)) / DAY_MS;
        if (Number.isNaN(days)) return AGES.length;
        return AGES.findIndex(([, most]) => days < most);
      };
      const groups = yield* grouped(below, keyOf, (at) => AGES[Number(at)]?.[0] ?? 'unknown');
      const place = ({ name }: ViewGroup) => AGES.findIndex(([age]) => age === name) >>> 0;
      return groups.toSorted((a, b) => place(a) - place(b));
    },
  },
  {
    name: 'duplicates',
    about: 'space taken by copies beyond the first; perhaps: same name and size, = compares',
    *groups(below, _, contents) {
      const { tree } = below;
      const found = yield* duplicatesBelow(below, contents);
      return found.map((same): ViewGroup => {
        const { nodes, size, by } = same;
        const name = harmless(tree.name(nodes[0] as NodeId));
        // Of old versions only the listing says something.
        const canRead = nodes.every((node) => tree.isCurrent(node));
        return {
          ...(by === 'name' && canRead ? { unread: nodes } : {}),
          name: `${SIGNS[by]}  ${figure(nodes.length)} × ${plainSize(size)}  ${name}`,
          size: extraBytes(same),
          files: nodes.length,
          *list(most) {
            yield;
            return { nodes: nodes.slice(0, most), total: nodes.length };
          },
        };
      });
    },
  },
  {
    name: 'class',
    about: 'objects by storage class',
    groups: (below) => {
      const { objects } = below.tree;
      const nameOf = (key: GroupKey) => harmless(objects.classes[Number(key)] || 'unknown');
      return grouped(below, (file) => objects.classOf(file), nameOf);
    },
  },
];

const SIGNS: Readonly<Record<Likeness, string>> = {
  hash: 'same hash',
  name: 'perhaps',
  contents: 'equal',
  'name only': 'different',
};

const DAY_MS = 86_400_000;

/** Each age up to its days. */
const AGES: readonly (readonly [name: string, days: number])[] = [
  ['up to a day', 1],
  ['up to a week', 7],
  ['up to a month', 30],
  ['up to 3 months', 91],
  ['up to a year', 365],
  ['up to 2 years', 730],
  ['up to 5 years', 1826],
  ['older', Number.POSITIVE_INFINITY],
];

/** The files below a directory in groups, the largest group first. */
function* grouped(
  below: FilesBelow,
  keyOf: (file: NodeId) => GroupKey,
  nameOf: (key: GroupKey) => string,
): Generator<void, readonly ViewGroup[]> {
  const groups = new Map<GroupKey, { files: number; size: number }>();
  yield* eachFileBelow(below, (file) => {
    const key = keyOf(file);
    let group = groups.get(key);
    if (group === undefined) {
      group = { files: 0, size: 0 };
      groups.set(key, group);
    }
    group.files++;
    group.size += shownSize(below.tree, file, below.order);
  });
  return [...groups]
    .sort(([, a], [, b]) => b.size - a.size || b.files - a.files)
    .map(([key, { files, size }]) => ({
      name: nameOf(key),
      files,
      size,
      list: (most) => largestBelow(below, most, (file) => keyOf(file) === key),
    }));
}
