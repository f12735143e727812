import { faultLine, type LoadedHooks } from '../file/load-hooks.ts';
import { HookFileFault } from '../file/read-hook-file.ts';
import type { Hook } from '../hook.ts';
import type { HookLog } from '../log/hook-log.ts';

interface HookFile {
  readonly path: string;
  readonly hooks: readonly Hook[];
  readonly references: readonly string[];
}

/** Reads a hook file whole, `again` while the server runs; rejects with an error that says why it cannot be used. */
export type LoadFile = (path: string, again: boolean) => Promise<LoadedHooks>;

/** The hooks that are served now, and how they are replaced: all that is new was read and checked before. */
export class HookStore {
  readonly #paths: readonly string[];
  readonly #load: LoadFile;
  readonly #log: HookLog;
  readonly #warn: (line: string) => void;
  #files: readonly HookFile[] = [];
  /** Those that requests can reach: the first of each id. */
  #byId: ReadonlyMap<string, Hook> = new Map();
  /** What files refer to that could not be loaded. */
  readonly #wanted = new Map<string, readonly string[]>();
  /** Files as they were last read, with hooks that other files hold: used as soon as these let go of them. */
  #refused: ReadonlyMap<string, HookFile> = new Map();
  readonly #listeners = new Set<() => void>();
  /** How often files could be read again, and how often not. */
  readonly reloads = { ok: 0, failed: 0 };
  #reloading: Promise<void> = Promise.resolve();

  /** @param warn takes why a file cannot be used, where there is no log */
  constructor(
    paths: readonly string[],
    load: LoadFile,
    log: HookLog,
    warn: (line: string) => void = () => {},
  ) {
    this.#paths = paths;
    this.#load = load;
    this.#log = log;
    this.#warn = log.on ? () => {} : warn;
  }

  get size(): number {
    return this.#files.reduce((sum, { hooks }) => sum + hooks.length, 0);
  }

  /** The hooks that requests can reach. */
  get hooks(): readonly Hook[] {
    return [...this.#byId.values()];
  }

  find(id: string): Hook | undefined {
    return this.#byId.get(id);
  }

  /** Files besides those of hooks that these refer to. */
  get references(): readonly string[] {
    return [...new Set(this.#referring().flatMap(([, references]) => references))];
  }

  /** The files of hooks that refer to another file. */
  filesThatReferTo(path: string): string[] {
    const found = this.#referring().filter(([, references]) => references.includes(path));
    return [...new Set(found.map(([file]) => file))];
  }

  #referring(): (readonly [file: string, references: readonly string[]])[] {
    const read = [...this.#files, ...this.#refused.values()];
    return [...read.map(({ path, references }) => [path, references] as const), ...this.#wanted];
  }

  /** Calls `listener` when files were read again. @returns ends that */
  onReload(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Says what must not be missed. */
  report(line: string): void {
    this.#log.line(line);
    this.#warn(line);
  }

  /** Loads all files for the first time; those that cannot be read hold no hooks yet. Rejects if two of them hold an id. */
  async loadAll(): Promise<void> {
    const files: HookFile[] = [];
    for (const path of this.#paths) {
      this.#log.line(`attempting to load hooks from ${path}`);
      const loaded = await this.#tryLoad(path, false);
      const file = loaded ?? { path, hooks: [], references: [] };
      files.push(file);
      const repeated = repeatedId(files, () => false);
      for (const { id } of file.hooks) {
        if (repeated?.id === id) throw new Error(alreadyLoaded(id));
        this.#log.line(`\tloaded: ${id}`);
      }
    }
    this.#use(files);
  }

  /** Serves the hooks of files; what any of them refers to is secret in the lines about all of them. */
  #use(files: readonly HookFile[]): void {
    const hooks = files.flatMap((file) => file.hooks);
    this.#files = files;
    const byId = new Map<string, Hook>();
    for (const hook of hooks) if (!byId.has(hook.id)) byId.set(hook.id, hook);
    this.#byId = byId;
    this.#log.secrets = [...new Set(hooks.flatMap(({ secrets }) => secrets))];
  }

  /** Reads some files again, all by default. A file that cannot be used keeps the hooks it had. */
  reload(paths: readonly string[] = this.#paths): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#reload(paths));
    return this.#reloading;
  }

  async #reload(paths: readonly string[]): Promise<void> {
    const waiting = new Map([...this.#refused].filter(([path]) => !paths.includes(path)));
    const fresh = new Map(waiting);
    for (const path of paths) {
      this.#log.line(`attempting to reload hooks from ${path}`);
      const loaded = await this.#tryLoad(path, true);
      this.reloads[loaded === undefined ? 'failed' : 'ok']++;
      if (loaded === undefined) {
        this.#log.line(`the hooks loaded before from ${path} stay in use`);
        continue;
      }
      fresh.set(path, loaded);
      const before = this.#files.find((file) => file.path === path)?.hooks.length ?? 0;
      if (before > 0 && loaded.hooks.length === 0) {
        this.report(`${path} holds no hooks now: the ${before} loaded before are removed`);
      }
      const seen = new Set<string>();
      for (const { id } of loaded.hooks) {
        if (seen.has(id)) break;
        seen.add(id);
        this.#log.line(`\tloaded: ${id}`);
      }
    }
    const refused = new Map<string, HookFile>();
    let next = this.#withFresh(fresh);
    // What clashes is given up file by file, beginning with what waits; without any new file nothing clashes.
    for (let found = repeatedId(next, (path) => fresh.has(path)); found !== undefined; ) {
      const { id, path: later } = found;
      const holders = [...fresh.values()].filter(({ hooks }) => hooks.some((it) => it.id === id));
      const file =
        holders.find(({ path }) => waiting.has(path)) ??
        holders.find(({ path }) => path === later) ??
        holders[0];
      if (file === undefined) break;
      fresh.delete(file.path);
      if (repeatedId([file], () => true) === undefined) refused.set(file.path, file);
      if (!waiting.has(file.path)) {
        this.report(alreadyLoaded(id));
        this.#log.line('reverting hooks back to the previous configuration');
      }
      next = this.#withFresh(fresh);
      found = repeatedId(next, (path) => fresh.has(path));
    }
    this.#refused = refused;
    for (const path of fresh.keys()) {
      if (waiting.has(path)) this.#log.line(`the hooks of ${path}, refused before, are loaded`);
    }
    this.#use(next);
    for (const listener of this.#listeners) listener();
  }

  #withFresh(fresh: ReadonlyMap<string, HookFile>): HookFile[] {
    return this.#files.map((file) => fresh.get(file.path) ?? file);
  }

  async #tryLoad(path: string, again: boolean): Promise<HookFile | undefined> {
    try {
      const nothing = { hooks: [], faults: [], references: [] };
      const { hooks, faults, references } = path === '' ? nothing : await this.#load(path, again);
      this.#wanted.delete(path);
      this.#log.line(`found ${hooks.length} hook(s) in file`);
      for (const fault of faults) {
        const line = faultLine(path, fault);
        // It may let in requests that it should refuse.
        if (fault.isOfRule && fault.weight === 'error') this.report(line);
        else if (fault.weight !== 'note') this.#log.line(line);
      }
      return { path, hooks, references };
    } catch (thrown) {
      if (thrown instanceof HookFileFault) this.#wanted.set(path, thrown.references);
      const why = (thrown as Error).message;
      this.#log.line(`couldn't load hooks from file! ${why}`);
      const kept = again ? '; the hooks loaded before stay in use' : '';
      this.#warn(`couldn't load hooks from ${path}: ${why}${kept}`);
      return undefined;
    }
  }
}

function alreadyLoaded(id: string): string {
  return `error: hook with the id ${id} has already been loaded!\nplease check your hooks file for duplicate hooks ids!`;
}

/** An id that stands in two files, or twice in one of `strict` files; `undefined` where there is none. */
function repeatedId(files: readonly HookFile[], isStrict: (path: string) => boolean) {
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
