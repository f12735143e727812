import type { RcloneSettings } from '../../backends/backend.ts';
import type { FixedOptions } from '../../config/resolve-options.ts';
import { hasCode, type SyncerError } from '../../core/errors.ts';
import type { Entry, Op, Remote } from '../../core/remote.ts';
import type {
  OpenedPath,
  RcloneDraft,
  Reconnected,
  RemoteOpener,
} from '../../shell/command-line/command.ts';
import { BareRemotes } from './bare-remotes.ts';
import { type RecordedRun, RunLayers, withLayersLogged } from './layers.ts';
import { type OpenerParts, RemoteResolver, type Resolved } from './resolve-remote.ts';

/** The run that an opener is for. */
interface OpenerRun extends RecordedRun {
  /** Options of all remotes that it opens, which override others but those of a call. */
  readonly options?: FixedOptions | undefined;
}

/** The opener of a run. Configuration, backends and certificates are read when the first remote is opened. */
export class RunOpener implements RemoteOpener {
  readonly #parts: OpenerParts;
  readonly #options: FixedOptions | undefined;
  readonly #resolver: RemoteResolver;
  readonly #bare: BareRemotes;
  readonly #layers: RunLayers;
  readonly #opened: Remote[] = [];

  /** @param shared the opener of the run around this one: the same configuration and connections */
  constructor(parts: OpenerParts, run: OpenerRun = {}, shared?: RunOpener) {
    this.#parts = parts;
    this.#options = run.options;
    this.#resolver = shared ? shared.#resolver : new RemoteResolver(parts);
    this.#bare = shared ? shared.#bare : new BareRemotes(parts, this.#resolver);
    this.#layers = new RunLayers(parts, run, (spec) => this.#openPlain(spec));
  }

  /** The same configuration and connections for a run inside this one, with a journal of its own. */
  inRun(run: OpenerRun): RunOpener {
    return new RunOpener(this.#parts, run, this);
  }

  async readConfig(): Promise<void> {
    await this.#resolver.sources();
  }

  async openDir(spec: string, fixed?: FixedOptions): Promise<Remote> {
    const resolved = await this.#resolver.resolve(spec, this.#fixed(fixed));
    return this.#logged(await this.#openAt(resolved, resolved.root));
  }

  async openPath(spec: string, fixed?: FixedOptions, op?: Op): Promise<OpenedPath> {
    const resolved = await this.#resolver.resolve(spec, this.#fixed(fixed));
    const { root } = resolved;
    const slash = root.lastIndexOf('/');
    const leaf = root.slice(slash + 1);
    // Otherwise it can only be a directory.
    if (leaf !== '' && leaf !== '.' && leaf !== '..') {
      const here = resolved.backend.type === 'local' ? '.' : '';
      const dir = slash < 0 ? here : slash === 0 ? '/' : root.slice(0, slash);
      const parent = await this.#openAt(resolved, dir);
      // A trailing slash makes it one in an object store, but not on a disk, as in rclone.
      const mayExist = !parent.traits.bucketBased || (slash > 0 && !spec.endsWith('/'));
      const entry = mayExist ? await look(parent, leaf, op ?? this.#parts.context) : undefined;
      if (entry?.kind === 'file') return { remote: this.#logged(parent), file: entry };
    }
    return { remote: this.#logged(await this.#openAt(resolved, root)) };
  }

  async connectionString(spec: string): Promise<string> {
    const [{ connectionString }, { ALIAS_KIND }, found] = await Promise.all([
      import('../../config/resolve-options.ts'),
      import('../../config/alias-target.ts'),
      this.#resolver.sources(),
    ]);
    return connectionString(spec, { ...found, backends: [...found.backends, ALIAS_KIND] });
  }

  async reconnect(spec: string): Promise<Reconnected | undefined> {
    const resolved = await this.#resolver.resolve(spec);
    const { reconnect } = await resolved.backend.load();
    if (reconnect === undefined) return undefined;
    const params = await this.#bare.params(resolved, resolved.root);
    const { line, env, context } = this.#parts;
    const { flags } = line;
    const { loginBrowser } = await import('../../backends/auth/open-browser.ts');
    const openBrowser = loginBrowser(flags, env);
    const byDevice = flags.device || (!flags['auth-no-open-browser'] && openBrowser === undefined);
    const choices = { byDevice, port: flags['auth-port'], openBrowser, emit: context.emit };
    const values = await reconnect(params, choices);
    return { section: resolved.section, values, place: params.tokenPlace };
  }

  async rcloneSettings(remote: string | RcloneDraft): Promise<RcloneSettings | undefined> {
    if (typeof remote === 'string') {
      const resolved = await this.#resolver.resolve(remote);
      return resolved.backend.servesOthers ? this.#bare.rcloneSettings(resolved) : undefined;
    }
    const { name, type, options } = remote;
    const spec = { name, overrides: new Map<string, string>(), path: '' };
    const settings = await this.#bare.rcloneSettings({ spec, type });
    const { optionVariables } = await import('./rclone-settings.ts');
    return { ...settings, env: { ...settings.env, ...optionVariables(name, options) } };
  }

  meantInstead(error: SyncerError): string | undefined {
    return this.#resolver.meantInstead(error);
  }

  async closeAll(): Promise<void> {
    const hasOpened = this.#opened.length > 0;
    const closing = this.#opened.splice(0).map((remote) => remote.close());
    await Promise.allSettled(closing);
    if (hasOpened) await this.#layers.close();
    await Promise.all(closing);
  }

  #fixed(options: FixedOptions | undefined): FixedOptions | undefined {
    return this.#options ? { ...this.#options, ...options } : options;
  }

  async #openAt(resolved: Resolved, root: string): Promise<Remote> {
    const remote = await this.#layers.around(await this.#bare.open(resolved, root));
    this.#opened.push(remote);
    return remote;
  }

  /** Opens a remote for the layers of others. */
  async #openPlain(spec: string): Promise<Remote> {
    const resolved = await this.#resolver.resolve(spec);
    const remote = await this.#bare.open(resolved, resolved.root);
    this.#opened.push(remote);
    return remote;
  }

  #logged(remote: Remote): Remote {
    return withLayersLogged(remote, this.#parts.context);
  }
}

/**
 * The entry at `path`; none if access is denied or the parent is missing. Listing then reports the error, as in rclone.
 */
async function look(remote: Remote, path: string, { signal }: Op): Promise<Entry | undefined> {
  try {
    return await remote.stat(path, { signal });
  } catch (thrown) {
    const codes = ['access-denied', 'bucket-not-found', 'directory-not-found'] as const;
    if (hasCode(thrown, ...codes, 'file-not-found', 'not-a-directory')) return undefined;
    throw thrown;
  }
}
