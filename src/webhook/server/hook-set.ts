import type { Hook } from '../file/hook.ts';

/** The hooks of one file. */
export interface HookFile {
  readonly path: string;
  readonly hooks: readonly Hook[];
  /** Files that it refers to. */
  readonly references: readonly string[];
}

/** The hooks that are served. It never changes: a reload makes another one. */
export class HookSet {
  readonly files: readonly HookFile[];
  readonly #byId = new Map<string, Hook>();

  constructor(files: readonly HookFile[]) {
    this.files = files;
    for (const hook of files.flatMap(({ hooks }) => hooks)) {
      if (!this.#byId.has(hook.id)) this.#byId.set(hook.id, hook);
    }
  }

  get size(): number {
    return this.files.reduce((sum, { hooks }) => sum + hooks.length, 0);
  }

  /** Those that requests can reach. */
  get reachable(): readonly Hook[] {
    return [...this.#byId.values()];
  }

  find(id: string): Hook | undefined {
    return this.#byId.get(id);
  }
}

/** An id that stands in two files, or twice in one of `strict` files; `undefined` where there is none. */
export function repeatedId(
  files: readonly HookFile[],
  isStrict: (path: string) => boolean,
): { readonly id: string; readonly path: string } | undefined {
  const owners = new Map<string, number>();
  for (const [index, { path, hooks }] of files.entries()) {
    for (const { id } of hooks) {
      const owner = owners.get(id);
      if (owner !== undefined && (owner !== index || isStrict(path))) return { id, path };
      owners.set(id, index);
    }
  }
  return undefined;
}
