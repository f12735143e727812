import type { FileEntry, Op } from '../../core/remote.ts';
import { isWithin, joinPath } from '../../core/remote-path.ts';
import { retry } from '../../core/retry.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { DiskCache } from './disk-cache.ts';
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
  async renamed(from: string, to: string): Promise<boolean> {
    if (from === to) return false;
    await this.removed(to);
    const node = this.#nodes.get(from);
    const file = node?.cached ?? this.#cache?.find(from);
    const isNew = this.#isOnlyHere(node, file);
    if (file !== undefined) await this.#renameFile(node, file, to);
    if (node !== undefined) {
      this.#nodes.delete(from);
      this.#nodes.set(to, node);
      await this.#renameNode(node, to);
    }
    return isNew;
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
    const file = node?.cached ?? this.#cache?.find(path);
    const isNew = this.#isOnlyHere(node, file);
    if (node !== undefined) {
      this.#nodes.delete(path);
      node.path = undefined;
      await node.stream?.orphan();
    }
    if (file !== undefined) await this.#cache?.uploads.stop(file);
    await file?.replaces?.discard();
    await file?.discard();
    return isNew;
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

  async #renameFile(node: OpenNode | undefined, file: CachedFile, to: string): Promise<void> {
    const waited = (await this.#cache?.uploads.stop(file)) === true;
    for (const each of [file, file.replaces]) {
      if (each === undefined) continue;
      each.rename(to);
      const base = each.base && { ...each.base, path: to };
      const isRead = node !== undefined || each.isDirty;
      await each.rebase(isRead && !each.data.isComplete ? await this.#present(base) : base);
      await each.describe();
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
