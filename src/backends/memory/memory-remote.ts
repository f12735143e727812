import { randomUUID } from 'node:crypto';
import { collectBody } from '../../core/body.ts';
import type { Context } from '../../core/context.ts';
import { deleteOneByOne } from '../../core/deleting.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import { compareEntries } from '../../core/name-order.ts';
import type { Capabilities, Entry, Page, Remote, WriteSource } from '../../core/remote.ts';
import { joinPath, parentPath } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import { contentCheck, loadedHasher } from '../../hashes/content-hasher.ts';
import type { OpenParams } from '../backend.ts';
import { memoryCapabilities } from './memory-capabilities.ts';
import { cutTime, entryOf, fileEntryOf } from './memory-entry.ts';
import { type MemoryOptions, type MemorySettings, settingsOf } from './memory-options.ts';
import { MemoryTree } from './memory-tree.ts';

/** A remote in memory. Every switch of `options` makes it behave like another backend, for tests. */
export function memoryRemote(options: MemoryOptions = {}): Remote {
  const settings = settingsOf(options);
  const { tree, root } = settings;
  const at = (path: string) => joinPath(root, path);
  const traits = traitsOf(settings);
  return {
    name: settings.name,
    root,
    title: `memory root '${root}'`,
    traits,
    can: without(memoryCapabilities(settings, traits), settings.without),

    async listPage(dir, cursor, op): Promise<Page> {
      op.signal.throwIfAborted();
      if (!settings.emptyDirs && tree.find(at(dir)) === undefined) return { entries: [] };
      const entries = [...tree.dir(at(dir)).children.values()]
        .map(({ name, node }) => entryOf(settings, joinPath(dir, name), node, false))
        .sort(compareEntries);
      if (!settings.sorted) entries.reverse();
      return pageOf(entries, cursor, settings.pageSize);
    },

    async stat(path, op) {
      op.signal.throwIfAborted();
      const node = tree.find(at(path));
      return node === undefined ? undefined : entryOf(settings, path, node, true);
    },

    async read(file, range, op) {
      op.signal.throwIfAborted();
      const { content } = tree.file(at(file.path));
      const from = range?.offset ?? 0;
      return content.subarray(from, range?.length === undefined ? undefined : from + range.length);
    },

    async write(source, op) {
      op.signal.throwIfAborted();
      tree.checkNoDir(at(source.path));
      const { content, hashes } = await contentOf(settings, source, op.signal);
      tree.checkNoDir(at(source.path));
      const file = {
        kind: 'file',
        content,
        hashes,
        modTime: cutTime(settings, source.modTime),
        mimeType: source.mimeType,
        ...(settings.ids ? { id: randomUUID() } : {}),
        ...(source.metadata === undefined ? {} : { metadata: source.metadata }),
      } as const;
      tree.put(at(source.path), file);
      return fileEntryOf(settings, source.path, file, true);
    },

    async delete(files, op) {
      op.signal.throwIfAborted();
      return deleteOneByOne(files, op, async (file) => {
        tree.file(at(file.path));
        tree.delete(at(file.path));
        if (!settings.emptyDirs) tree.deleteEmptyDirs(parentPath(at(file.path)), root);
      });
    },

    async makeDir(dir, op) {
      op.signal.throwIfAborted();
      if (settings.emptyDirs) tree.makeDir(at(dir));
    },

    async deleteDir(dir, op) {
      op.signal.throwIfAborted();
      if (!settings.emptyDirs) return;
      if (tree.dir(at(dir)).children.size > 0) {
        throw new SyncerError('not-empty', `${dir}: directory not empty`, { path: dir });
      }
      tree.delete(at(dir));
    },

    async close() {},
  };
}

async function contentOf(
  settings: MemorySettings,
  source: WriteSource,
  signal: AbortSignal,
): Promise<{ content: Buffer; hashes: Hashes }> {
  const check = contentCheck(source);
  const hasher = await loadedHasher(settings.hashes);
  const content = await collectBody(await source.open(undefined, { signal }), signal);
  check.update(content);
  check.finish();
  hasher.update(content);
  // The content read belongs to the source, and may change.
  return { content: Buffer.from(content), hashes: hasher.digest() };
}

function pageOf(entries: readonly Entry[], cursor: string | undefined, size: number): Page {
  const from = Number(cursor ?? 0);
  const page = entries.slice(from, from + size);
  return from + size < entries.length
    ? { entries: page, cursor: String(from + size) }
    : { entries: page };
}

function traitsOf(settings: MemorySettings): Traits {
  return {
    hashes: settings.hashes,
    slowHash: settings.slowHash,
    modTimePrecision: settings.modTimePrecision,
    slowModTime: settings.slowModTime,
    caseInsensitive: settings.caseInsensitive,
    emptyDirs: settings.emptyDirs,
    sortedPages: settings.sorted,
    bucketBased: false,
    onDisk: true,
    inProcess: true,
  };
}

function without(all: Capabilities, names: readonly (keyof Capabilities)[]): Capabilities {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => !names.some((absent) => absent === name)),
  );
}

/** One tree per run and remote name, so that two remotes of one command see the same files. */
const trees = new WeakMap<Context, Map<string, MemoryTree>>();

/** Opens a remote in memory at `params.root`. */
export async function open(params: OpenParams): Promise<Remote> {
  const ofRun = trees.get(params.context) ?? new Map<string, MemoryTree>();
  trees.set(params.context, ofRun);
  const tree = ofRun.get(params.name) ?? new MemoryTree();
  ofRun.set(params.name, tree);
  return memoryRemote({ name: params.name, root: params.root.replace(/^\/+|\/+$/g, ''), tree });
}
