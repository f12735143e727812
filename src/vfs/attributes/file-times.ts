import { abortable } from '../../core/context.ts';
import { hasCode } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { entryOf, type FileNode, snapshotOf, walkOf } from '../tree/node.ts';
import { distrust } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { knowsTime } from './attributes-of.ts';

/** Read-ahead starts after this many files of a directory were requested. */
const ASKED_BEFORE_AHEAD = 3;

/** How many files ahead of the reader. */
const AHEAD = 64;

/** How many requests for times run ahead in parallel. */
const AHEAD_AT_ONCE = 32;

/**
 * Modification times on remotes whose listings have none: requested once, and ahead of a program that reads a
 * directory.
 */
export class FileTimes {
  readonly #vfs: VfsParts;
  readonly #asked = new Map<FileNode, Promise<void>>();

  constructor(vfs: VfsParts) {
    this.#vfs = vfs;
  }

  /** Requests the time of a file; `undefined` if it is known. */
  learn(node: FileNode, op: Op): Promise<void> | undefined {
    if (!this.#vfs.remote.traits.slowModTime) return undefined;
    const asked = knowsTime(this.#vfs, node) ? undefined : this.#ask(node);
    this.#askAhead(node);
    return asked === undefined ? undefined : abortable(asked, op.signal);
  }

  #ask(node: FileNode): Promise<void> {
    const asked = this.#asked.get(node) ?? this.#read(node).finally(() => this.#asked.delete(node));
    this.#asked.set(node, asked);
    return asked;
  }

  async #read(node: FileNode): Promise<void> {
    const { locks, remote, signal, startedAt } = this.#vfs;
    const { parent, entry } = node;
    if (parent === undefined || entry === undefined) return;
    try {
      await locks.use([parent], { signal }, async () => {
        const asked = entryOf(node);
        if (asked === undefined || node.parent === undefined) return;
        const told = (await remote.can.details?.read(asked, { signal })) ?? asked;
        if (node.entry !== entry) return;
        node.entry = { ...told, modTime: told.modTime ?? told.storedTime ?? startedAt };
      });
    } catch (thrown) {
      // Another client has deleted it: the directory is listed again.
      if (hasCode(thrown, 'file-not-found')) distrust(parent);
      throw thrown;
    }
  }

  /** Counts a request for a file of a directory, and requests the times of the files that are likely next. */
  #askAhead(asked: FileNode): void {
    const { parent: dir } = asked;
    if (dir === undefined) return;
    const walk = walkOf(dir);
    if (walk.lastFile === asked) return;
    walk.lastFile = asked;
    walk.files++;
    const isDone = walk.fileCursor >= (dir.children?.size ?? 0);
    if (walk.files < ASKED_BEFORE_AHEAD || isDone) return;
    const { nodes } = snapshotOf(dir);
    const most = walk.files + AHEAD;
    while (
      walk.fileCursor < nodes.length &&
      walk.filesAhead < most &&
      this.#asked.size < AHEAD_AT_ONCE
    ) {
      const node = nodes[walk.fileCursor++];
      if (node?.kind !== 'file' || node.parent !== dir) continue;
      walk.filesAhead++;
      if (knowsTime(this.#vfs, node)) continue;
      this.#ask(node).catch(() => {
        // The caller that asks for this file gets the error.
      });
    }
  }
}
