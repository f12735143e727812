import * as fc from 'fast-check';
import { hasCode, toSyncerError } from '../../src/core/errors.ts';
import { leafName, parentPath } from '../../src/core/remote-path.ts';
import type { VfsWorld } from './vfs-world.ts';

/** What is done to a file system, by path. */
export type Step =
  | { readonly do: 'write'; readonly at: string; readonly text: string }
  | { readonly do: 'read' | 'list' | 'mkdir' | 'rmdir' | 'unlink'; readonly at: string }
  | { readonly do: 'rename' | 'move'; readonly at: string; readonly to: string }
  | { readonly do: 'refresh' | 'upload' | 'wait' };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const text = fc.string({ maxLength: 6 });

/** Steps in a small tree, so that they meet. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), at: path, text }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('read', 'list', 'mkdir', 'mkdir', 'rmdir', 'unlink' as const),
      at: path,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('rename', 'move' as const), at: path, to: path }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('refresh', 'upload', 'wait' as const) }),
  },
) as fc.Arbitrary<Step>;

/** Does a step; gives what it gave, or the code of its error. `directory-not-found` counts as `file-not-found`. */
export async function doStep(w: VfsWorld, step: Step): Promise<unknown> {
  try {
    switch (step.do) {
      case 'write':
        return await w.write(step.at, step.text);
      case 'read':
        return await w.read(step.at);
      case 'list':
        return await w.names(step.at);
      case 'mkdir':
        return await w.mkdir(step.at);
      case 'rmdir':
        return await w.rmdir(step.at);
      case 'unlink':
        return await w.unlink(step.at);
      case 'rename':
        return await w.rename(step.at, step.to);
      case 'move':
        return await w.rename(step.at, step.to, 'no-replace');
      case 'refresh':
        return w.vfs.refresh();
      case 'upload':
        return await w.contents.uploadAll();
      case 'wait':
        return await w.clock.advance(400_000);
    }
  } catch (thrown) {
    return hasCode(thrown, 'directory-not-found') ? 'file-not-found' : toSyncerError(thrown).code;
  }
}

/** A file system as it should be: files by path, and directories as `undefined`. */
export class Model {
  readonly nodes = new Map<string, string | undefined>([['', undefined]]);

  /** What `doStep` is to give. */
  expect(step: Step): unknown {
    if (!('at' in step)) return undefined;
    const { at } = step;
    const blocked = this.#blocked(at);
    if (blocked !== undefined) return blocked;
    const [exists, isDir] = [this.nodes.has(at), this.#isDir(at)];
    switch (step.do) {
      case 'write':
        if (isDir) return 'not-a-file';
        return void this.nodes.set(at, step.text);
      case 'read':
        if (!exists) return 'file-not-found';
        return isDir ? 'not-a-file' : this.nodes.get(at);
      case 'list':
        if (!exists) return 'file-not-found';
        return isDir ? this.below(at).map(leafName).sort() : 'not-a-directory';
      case 'mkdir':
        return exists ? 'already-exists' : void this.nodes.set(at, undefined);
      case 'rmdir':
        if (!exists) return 'file-not-found';
        if (!isDir) return 'not-a-directory';
        return this.below(at).length > 0 ? 'not-empty' : void this.nodes.delete(at);
      case 'unlink':
        if (!exists) return 'file-not-found';
        return isDir ? 'not-a-file' : void this.nodes.delete(at);
      default:
        return this.#rename(step);
    }
  }

  /** What is directly in a directory. */
  below(dir: string): string[] {
    return [...this.nodes.keys()].filter((each) => each !== '' && parentPath(each) === dir);
  }

  #rename({ do: how, at, to }: Extract<Step, { to: string }>): unknown {
    const blocked = this.#blocked(to);
    if (blocked !== undefined) return blocked;
    if (!this.nodes.has(at)) return 'file-not-found';
    if (to.startsWith(`${at}/`) && this.#isDir(at)) return 'name-invalid';
    if (at === to) return undefined;
    if (this.nodes.has(to)) {
      if (how === 'move') return 'already-exists';
      if (this.#isDir(to) && !this.#isDir(at)) return 'not-a-file';
      if (!this.#isDir(to) && this.#isDir(at)) return 'not-a-directory';
      if (this.#isDir(to) && this.below(to).length > 0) return 'not-empty';
    }
    for (const [each, content] of [...this.nodes]) {
      if (each !== at && !each.startsWith(`${at}/`)) continue;
      this.nodes.delete(each);
      this.nodes.set(to + each.slice(at.length), content);
    }
    return undefined;
  }

  #blocked(path: string): string | undefined {
    const parent = parentPath(path);
    if (parent !== '') {
      const above = this.#blocked(parent);
      if (above !== undefined) return above;
    }
    if (!this.nodes.has(parent)) return 'file-not-found';
    return this.#isDir(parent) ? undefined : 'not-a-directory';
  }

  #isDir(path: string): boolean {
    return this.nodes.has(path) && this.nodes.get(path) === undefined;
  }
}

/** All that a file system shows: files with their content, directories with a slash. */
export async function shownBy(w: VfsWorld, dir = ''): Promise<Record<string, string>> {
  const shown: Record<string, string> = {};
  for (const each of await w.names(dir)) {
    const at = dir === '' ? each : `${dir}/${each}`;
    try {
      shown[at] = await w.read(at);
    } catch (thrown) {
      if (!hasCode(thrown, 'not-a-file')) throw thrown;
      shown[`${at}/`] = '';
      Object.assign(shown, await shownBy(w, at));
    }
  }
  return shown;
}
