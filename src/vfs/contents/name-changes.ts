import type { FileEntry, Op } from '../../core/remote.ts';
import { isWithin, joinPath } from '../../core/remote-path.ts';
import { retry } from '../../kit/retry.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { DiskCache } from './disk-cache.ts';
import type { OnRemote } from './file-contents.ts';
import type { OpenNode } from './open-node.ts';
import { sameContent } from './same-content.ts';

/** What becomes of open files, cached bytes and waiting uploads when names change. */
export class NameChanges {
  readonly #kit: ContentsKit;
  readonly #cache: DiskCache | undefined;
  readonly #nodes: Map<string, OpenNode>;
  readonly #arrived: (path: string, entry: FileEntry) => void;

  /** @param arrived called with what has reached the remote without anybody knowing. */
  constructor(
    kit: ContentsKit,
    cache: DiskCache | undefined,
    nodes: Map<string, OpenNode>,
    arrived: (path: string, entry: FileEntry) => void,
  ) {
    this.#kit = kit;
    this.#cache = cache;
    this.#nodes = nodes;
    this.#arrived = arrived;
  }

  /** As `FileContents.hold`. */
  async hold(path: string, op: Op): Promise<() => void> {
    const letGo = this.#kit.holds.hold(path);
    try {
      for (const file of this.#cache?.filesIn(path) ?? []) await this.#giveUp(file, op);
      await this.#cache?.uploads.quiet(path);
      return letGo;
    } catch (thrown) {
      letGo();
      throw thrown;
    }
  }

  /** As `FileContents.renamed`. */
  async renamed(from: string, to: string, onRemote: OnRemote): Promise<boolean> {
    if (from === to) return false;
    const replaced = await this.#unname(to);
    const node = this.#nodes.get(from);
    const file = node?.cached ?? this.#cache?.find(from);
    const isNew = this.#isOnlyHere(node, file);
    if (file !== undefined) await this.#renameFile(node, file, to, onRemote, replaced);
    for (const each of replaced) await each.discard();
    if (node !== undefined) {
      this.#nodes.delete(from);
      this.#nodes.set(to, node);
      if (onRemote !== 'moved' && node.cached !== undefined) node.base = onRemote.entry;
      await this.#renameNode(node, to);
    }
    return isNew;
  }

  /** As `FileContents.bringHere`. */
  async bringHere(path: string, op: Op): Promise<boolean> {
    const file = this.#nodes.get(path)?.cached ?? this.#cache?.find(path);
    const versions = [file, file?.replaces].filter((each) => each !== undefined);
    const counted = versions.find(({ state }) => state === 'pending');
    if (counted === undefined) return false;
    for (const each of versions) {
      if (each.data.isComplete) continue;
      await each.acquire();
      try {
        await each.complete(op);
        await each.describe();
      } finally {
        await each.release();
      }
    }
    await counted.safe();
    return true;
  }

  /** As `FileContents.dirRenamed`. */
  async dirRenamed(from: string, to: string): Promise<void> {
    const files = this.#cache?.filesIn(from) ?? [];
    const waited = new Set<CachedFile>();
    for (const file of files) if (await this.#cache?.uploads.stop(file)) waited.add(file);
    await this.#cache?.renameDir(from, to);
    for (const [path, node] of [...this.#nodes]) {
      if (!isWithin(from, path)) continue;
      const now = joinPath(to, path.slice(from.length + 1));
      this.#nodes.delete(path);
      this.#nodes.set(now, node);
      await this.#renameNode(node, now);
    }
    for (const file of files) {
      if (!file.data.isComplete) await file.rebase(await this.#present(file.base));
      if (waited.has(file)) this.#schedule(file);
    }
  }

  /** As `FileContents.removed`. */
  async removed(path: string): Promise<boolean> {
    const node = this.#nodes.get(path);
    const isNew = this.#isOnlyHere(node, node?.cached ?? this.#cache?.find(path));
    for (const each of await this.#unname(path)) await each.discard();
    return isNew;
  }

  /** Who has the file open uses it without a name from now on; gives what the cache has of it, which is to be discarded. */
  async #unname(path: string): Promise<readonly CachedFile[]> {
    const node = this.#nodes.get(path);
    const file = node?.cached ?? this.#cache?.find(path);
    if (node !== undefined) {
      this.#nodes.delete(path);
      node.path = undefined;
      await node.stream?.orphan();
    }
    if (file !== undefined) await this.#cache?.uploads.stop(file);
    return [file?.replaces, file].filter((each) => each !== undefined);
  }

  /** Ends an upload, and finds out whether the remote has the file all the same. */
  async #giveUp(file: CachedFile, op: Op): Promise<void> {
    const wasScheduled = (await this.#cache?.uploads.stop(file)) === true;
    // It waits until the path is let go.
    if (wasScheduled) this.#schedule(file);
    const { path } = file;
    if (!file.isUncertain || path === undefined) return;
    const found = await this.#stat(path, op);
    file.isUncertain = false;
    if (found === undefined || (file.base && sameContent(file.base, found))) return;
    file.base = found;
    this.#arrived(path, found);
  }

  async #stat(path: string, op: Op): Promise<FileEntry | undefined> {
    const { remote, options, context } = this.#kit;
    const tries = Math.max(1, options.lowLevelRetries);
    const rules = { tries, what: `look at ${path}`, signal: op.signal, context };
    const found = await retry(() => remote.stat(path, op), rules);
    return found?.kind === 'file' ? found : undefined;
  }

  /** Whether the remote has nothing under the name. */
  #isOnlyHere(node: OpenNode | undefined, file: CachedFile | undefined): boolean {
    if (file !== undefined) return file.isDirty && file.base === undefined;
    return node?.stream?.isDirty === true && node.base === undefined;
  }

  /** @param replaced files of the cache that go in the same moment, as far as the journal knows the renamed one */
  async #renameFile(
    node: OpenNode | undefined,
    file: CachedFile,
    to: string,
    onRemote: OnRemote,
    replaced: readonly CachedFile[],
  ): Promise<void> {
    const gone = replaced.map(({ id }) => id);
    const waited = (await this.#cache?.uploads.stop(file)) === true;
    for (const each of [file, file.replaces]) {
      if (each === undefined) continue;
      each.rename(to);
      const base = onRemote === 'moved' ? each.base && { ...each.base, path: to } : onRemote.entry;
      const isRead = node !== undefined || each.isDirty;
      await each.rebase(isRead && !each.data.isComplete ? await this.#present(base) : base);
      await each.describe(gone);
    }
    if (waited) this.#schedule(file);
  }

  async #renameNode(node: OpenNode, path: string): Promise<void> {
    node.path = path;
    const base = node.base && { ...node.base, path };
    await node.rebase(node.isReading ? await this.#present(base) : base);
    // What is on its way already arrives under the old name, and is moved then.
    if (node.stream !== undefined && !node.stream.isOnItsWay) node.stream.path = path;
  }

  /** The object under its new name, which may have got another tag there. */
  async #present(base: FileEntry | undefined): Promise<FileEntry | undefined> {
    if (base === undefined) return undefined;
    try {
      const found = await this.#stat(base.path, { signal: this.#kit.context.signal });
      return found?.size === base.size ? found : base;
    } catch {
      // Its readers will see what is wrong.
      return base;
    }
  }

  #schedule(file: CachedFile): void {
    if (file.isDirty) this.#cache?.uploads.schedule(file, this.#kit.options.writeBack);
  }
}
