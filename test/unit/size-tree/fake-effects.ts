import { BrowserModel, type BrowserParts } from '../../../components/browser/browser-model.ts';
import { BrowserView } from '../../../components/browser/browser-view.tsx';
import { PairModel } from '../../../components/browser/pair-model.ts';
import type { Entry } from '../../../src/core/remote.ts';
import type {
  BrowserEffects,
  DeleteReport,
  DeleteTo,
  TransferReport,
  TransferRequest,
} from '../../../src/size-tree/browser-effects.ts';
import type { NodeId } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';
import { expandPath } from '../../../src/system/shell-words.ts';
import { type Key, keysOfText, namedKey } from '../../../src/terminal/key.ts';
import type { Size } from '../../../src/terminal/screen-model.ts';
import { type ShownScreen, showScreen } from '../components/draw-screen.tsx';

/** Calls of the effects that a test settles itself. */
export interface FakeBrowser {
  readonly model: BrowserModel;
  /** The model with no other side. */
  readonly alone: PairModel;
  readonly tree: SizeTree;
  readonly scans: {
    readonly into: NodeId;
    readonly path: string;
    readonly feed: TreeFeed;
    done(): void;
    fail(error: Error): void;
  }[];
  readonly removals: {
    readonly paths: readonly string[];
    readonly nodes: readonly NodeId[];
    readonly to: DeleteTo;
    readonly report: DeleteReport;
    readonly signal: AbortSignal;
    done(): void;
  }[];
  readonly transfers: {
    readonly request: TransferRequest;
    readonly report: TransferReport;
    done(): void;
    fail(error: Error): void;
  }[];
  readonly copied: string[];
  /** What was done at the place that is shown, with what the screen has to show before. */
  readonly places: { readonly what: string; readonly names: readonly string[] }[];
  /** Presses keys: names in angle brackets (`<down>`), all else as typed. */
  keys(text: string): void;
  /** The same, with what `:` and `?` open over the screen. */
  keysOver(text: string): void;
  /** What is drawn, as text. */
  screen(size?: Size): string;
  /** Lets what was settled be seen. */
  settle(): Promise<void>;
}

const FACTS = { bytes: 8, timeMs: 0 };
const REPLACED = { path: 'one', here: FACTS, there: { bytes: 7, timeMs: 0 } };

/** A browser with effects that do nothing but wait for the test. */
export function fakeBrowser(
  parts: Partial<BrowserParts> = {},
  others: Partial<BrowserEffects> = {},
): FakeBrowser {
  const tree = parts.tree ?? new SizeTree();
  const scans: FakeBrowser['scans'][number][] = [];
  const removals: FakeBrowser['removals'][number][] = [];
  const transfers: FakeBrowser['transfers'][number][] = [];
  const copied: string[] = [];
  const places: FakeBrowser['places'][number][] = [];
  let now = 0;
  const ended = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => reject(signal.reason));
    return { promise, done: resolve, fail: reject };
  };
  const effects: BrowserEffects = {
    scan(into, path, _preferred, { signal }) {
      const { promise, done, fail } = ended(signal);
      scans.push({ into, path, feed: new TreeFeed(tree, into), done, fail });
      return promise;
    },
    older: async () => undefined,
    delete(nodes, to, report, { signal }) {
      const { promise, done } = ended(signal);
      const paths = nodes.map((node) => tree.path(node));
      removals.push({ paths, nodes, to, report, signal, done });
      return promise;
    },
    transfer(request, report, { signal }) {
      const { promise, done, fail } = ended(signal);
      transfers.push({ request, report, done, fail });
      return promise;
    },
    details: async (_, withHashes) => [
      ['storage class', 'STANDARD'],
      ...(withHashes ? [['md5', 'd41d8'] as const] : []),
    ],
    contentHash: async (path) => path,
    head: async () => Buffer.from('first line\nsecond line\n'),
    shown: (spec) => spec.replace('SECRET', 'REDACTED'),
    expand: (typed) => expandPath(typed, { HOME: '/home/me' }),
    async rename(node, name) {
      places.push({ what: 'rename', names: [tree.path(node), name] });
      tree.rename(node, name);
    },
    async makeDir(dir, name) {
      places.push({ what: 'make-dir', names: [name] });
      new TreeFeed(tree, dir).dirAt(name);
    },
    planUpload: async (from) => ({
      ...{ name: 'up', files: 2, bytes: 70, replaced: [REPLACED] },
      run: async (answers) => {
        const names = ['2 files', '70 B', from, '7 bytes', ...answers.values()];
        places.push({ what: 'upload', names });
        return ['up'];
      },
    }),
    async localFile(node) {
      const names = [tree.path(node), '9 bytes', '8 bytes'];
      let isEdited = false;
      return {
        ...{ path: '/tmp/x', isCopy: true },
        async edited() {
          isEdited = true;
          return { bytes: 9, before: FACTS, rival: FACTS };
        },
        save: async () => void places.push({ what: 'save', names }),
        remove: async () => void (isEdited && places.push({ what: 'remove', names })),
      };
    },
    lookAgain: async () => undefined,
    async runProgram(kind, path) {
      places.push({ what: kind, names: [path] });
      return '';
    },
    isLocal: () => false,
    workDir: '/work',
    fileNoun: () => 'object',
    copyText: (text) => copied.push(text),
    ...others,
  };
  const model = new BrowserModel({
    ...{ tree, spec: 'store:bucket', effects, nowMs: () => now },
    ...parts,
  });
  model.takeTerminal((use) => use());
  const alone = new PairModel([() => model], () => () => model);
  let shown: ShownScreen<void> | undefined;
  const drawn = () => {
    shown ??= showScreen(alone, BrowserView, 'ncdu');
    return shown;
  };
  return {
    ...{ model, alone, tree, scans, removals, transfers, copied, places },
    keys(text) {
      for (const key of keysOf(text)) model.press(key);
    },
    keysOver(text) {
      for (const key of keysOf(text)) drawn().screen.press(key);
    },
    screen(size = { columns: 80, rows: 24 }) {
      now += 1000;
      return textOf(drawn().draw(size));
    },
    async settle() {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    },
  };
}

/** The rows of a window in a few words: what it shows, its content, its status, and its keys. */
function textOf(rows: readonly string[]): string {
  const [title = '', ...content] = rows;
  const [status, keys] = content.splice(-2);
  const [, subject = '', aside = ''] =
    /^syncer ncdu(?: {2}(.*?))?(?: {2,}(.*))?$/.exec(title) ?? [];
  const lines = content.filter((row) => row !== '');
  return [`${subject} | ${aside}`, ...lines, `status: ${status}`, `keys: ${keys}`].join('\n');
}

function keysOf(text: string): readonly Key[] {
  return text.split(/(<[a-z-]+>)/).flatMap((part) => {
    const name = /^<(.*)>$/.exec(part)?.[1];
    return name === undefined ? keysOfText(part) : [namedKey(name as 'up')];
  });
}

/** A file as a listing tells it. */
export function fileEntry(path: string, size: number): Entry {
  return { kind: 'file', path, size };
}

/** Entries of a small store. */
const SAMPLE: readonly Entry[] = [
  fileEntry('big/one', 600),
  fileEntry('big/two', 300),
  fileEntry('mid/deep/x', 200),
  fileEntry('mid/y', 50),
  fileEntry('small', 10),
];

/** With old versions, a delete marker and an upload, as with `--all`. */
export const KEPT_SAMPLE: readonly Entry[] = (
  [
    ['dir/a', 300, 'current'],
    ['dir/a', 200, 'old'],
    ['dir/up', 400, 'upload'],
    ['dir/gone', 0, 'marker'],
    ['dir/gone', 90, 'old'],
    ['top', 10, 'current'],
  ] as const
).map(([path, size, kind], at) => ({
  ...{ kind: 'file', path, size, modTime: BigInt(at) * 10n ** 9n },
  kept: { kind, id: `id${at}` },
}));

/** A browser whose scan is about to end. */
export function listedBrowser(
  parts: Partial<BrowserParts> = {},
  others: Partial<BrowserEffects> = {},
  entries: readonly Entry[] = SAMPLE,
): FakeBrowser {
  const browser = fakeBrowser(parts, others);
  const [scan] = browser.scans;
  scan?.feed.flatPage(entries);
  browser.tree.setListed(0);
  scan?.done();
  return browser;
}

/** A browser whose scan has ended. */
export async function scannedBrowser(
  parts: Partial<BrowserParts> = {},
  others: Partial<BrowserEffects> = {},
  entries?: readonly Entry[],
): Promise<FakeBrowser> {
  const browser = listedBrowser(parts, others, entries);
  await browser.settle();
  return browser;
}
