import { hasCode } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { abortable } from '../locks/abortable.ts';
import { entryOf, type FileNode } from '../tree/node.ts';
import { distrust } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { knowsTime } from './attributes-of.ts';
import { nextFiles } from './next-files.ts';

/** So many requests for times run at once that nobody waits for. */
const AHEAD_AT_ONCE = 32;

/** Modification times of stores whose listings tell none: asked for once, and ahead of who goes through a directory. */
export class FileTimes {
  readonly #vfs: VfsParts;
  readonly #asked = new Map<FileNode, Promise<void>>();

  constructor(vfs: VfsParts) {
    this.#vfs = vfs;
  }

  /** Makes the time of a file known; `undefined` where it is. */
  learn(node: FileNode, op: Op): Promise<void> | undefined {
    if (!this.#vfs.remote.traits.slowModTime) return undefined;
    const asked = knowsTime(this.#vfs, node) ? undefined : this.#ask(node);
    this.#askAhead(node);
    return asked === undefined ? undefined : abortable(asked, op.signal);
  }

  #askAhead(node: FileNode): void {
    const { parent } = node;
    if (parent === undefined) return;
    for (const next of nextFiles(parent, node, () => this.#asked.size < AHEAD_AT_ONCE)) {
      if (knowsTime(this.#vfs, next)) continue;
      this.#ask(next).catch(() => {
        // Whoever asks for this file is told.
      });
    }
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
        const told = (await remote.can.readDetails?.(asked, { signal })) ?? asked;
        if (node.entry !== entry) return;
        node.entry = { ...told, modTime: told.modTime ?? told.storedTime ?? startedAt };
      });
    } catch (thrown) {
      // Somebody else has removed it: the directory is looked at again.
      if (hasCode(thrown, 'file-not-found')) distrust(parent);
      throw thrown;
    }
  }
}
