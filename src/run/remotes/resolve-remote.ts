import { resolve as resolvePath } from 'node:path';
import type { Backend } from '../../backends/backend.ts';
import type { ConfigFile } from '../../config/config-file.ts';
import type { AskPassword } from '../../config/config-password.ts';
import type { OptionSources, UsedVariable } from '../../config/option-sources.ts';
import type { RemoteSpec } from '../../config/remote-spec.ts';
import type { FixedOptions, ResolvedRemote } from '../../config/resolve-options.ts';
import type { Context } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import { cleanPath } from '../../core/remote-path.ts';
import type { CommandLine } from '../../shell/command-line/command.ts';
import { nearestName } from '../../shell/command-line/nearest-name.ts';
import { LOCAL_FLAGS } from '../../shell/flags/copy-flags.ts';
import type { KnownSecrets } from '../../shell/log/known-secrets.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { Stores } from '../../state/stores.ts';

/** What remotes are opened with. */
export interface OpenerParts {
  readonly line: CommandLine;
  readonly context: Context;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: KnownSecrets;
  /** Asks for the password of an encrypted configuration. */
  readonly ask?: AskPassword | undefined;
  /** What the run keeps; without it, it keeps nothing. */
  readonly stores?: Stores | undefined;
}

/** A path with its backend and options. */
export interface Resolved extends ResolvedRemote<Backend> {
  /** The same for its own backend, which leaves it to rclone. */
  readonly insteadOf?: ResolvedRemote<Backend>;
}

/** The configuration and all that options come from. */
export interface RemoteSources extends OptionSources<Backend> {
  readonly file: ConfigFile;
}

/** Finds the backend and the options of paths. The configuration is read for the first one. */
export class RemoteResolver {
  readonly #parts: OpenerParts;
  /** Absolute local paths that begin with the name of a remote, and what they are with its colon. */
  readonly #colonless = new Map<string, string>();
  /** Local paths with the name of a remote that were logged. */
  readonly #likeRemotes = new Set<string>();
  /** The configuration, which may ask for its password. */
  readonly sources: () => Promise<RemoteSources>;
  readonly #isRcloneUsable: () => Promise<boolean>;

  constructor(parts: OpenerParts) {
    this.#parts = parts;
    const { line, env } = parts;
    this.sources = once(() => readSources(parts));
    this.#isRcloneUsable = once(async () => {
      const { isRcloneUsable } = await import('./left-to-rclone.ts');
      return isRcloneUsable({ flags: line.flags, env });
    });
  }

  /** Rejects as `resolveOptions`; an unknown remote that the configuration of rclone has is named so. */
  async resolve(spec: string, fixed?: FixedOptions): Promise<Resolved> {
    const resolved = await this.#withOpener(spec, fixed);
    // On a disk, `..` depends on links.
    if (resolved.backend.type === 'local') {
      await this.#noteLocal(spec, resolved);
      return resolved;
    }
    // To rclone, `/` at the start of a path may be the top of a server, and not the home of a user.
    const top = resolved.backend.servesOthers && resolved.root.startsWith('/') ? '/' : '';
    return { ...resolved, root: top + cleanPath(resolved.root) };
  }

  /** See `RemoteOpener`. */
  meantInstead({ code, path = '' }: SyncerError): string | undefined {
    const isMissing = code === 'directory-not-found' || code === 'file-not-found';
    return isMissing ? this.#colonless.get(resolvePath(path)) : undefined;
  }

  /** The path with its own backend, or with rclone if that opens it instead. */
  async #withOpener(spec: string, fixed: FixedOptions | undefined): Promise<Resolved> {
    const [{ resolveOptions }, sources] = await Promise.all([
      import('../../config/resolve-options.ts'),
      this.sources(),
    ]);
    let own: ResolvedRemote<Backend>;
    try {
      own = resolveOptions(spec, sources, fixed);
    } catch (thrown) {
      const { orInRclone } = await import('../../config/remote-faults.ts');
      throw await orInRclone(thrown, spec, sources.configPath, this.#parts.env);
    }
    if (own.backend.isLeftToRclone === undefined) return own;
    const { rcloneInstead } = await import('./left-to-rclone.ts');
    const opener = await rcloneInstead(own, sources.backends, this.#isRcloneUsable);
    if (opener === undefined) return own;
    return { ...resolveOptions(spec, sources, fixed, opener), insteadOf: own };
  }

  async #noteLocal(spec: string, { spec: target }: Resolved): Promise<void> {
    const { config } = await this.sources();
    const [name = ''] = spec.split('/', 1);
    const isRemote = name !== '' && config.has(name);
    if (isRemote) this.#colonless.set(resolvePath(spec), `${name}:${spec.slice(name.length + 1)}`);
    // Also the target of an alias.
    this.#logLikeRemote(target, config);
  }

  /** Logs once of a local path that it has the name of a remote, in rclone's words. */
  #logLikeRemote({ name, path }: RemoteSpec, config: RemoteSources['config']): void {
    if (name !== '' || !config.has(path) || this.#likeRemotes.has(path)) return;
    this.#likeRemotes.add(path);
    const text = `"${path}" refers to a local folder, use "${path}:" to refer to your remote or "./${path}" to hide this warning`;
    this.#parts.context.emit(logText('notice', text));
  }
}

async function readSources({ line, context, env, ask }: OpenerParts): Promise<RemoteSources> {
  const [{ BACKENDS }, { openUserConfig }, { tellingExposure }, { iniSections }] =
    await Promise.all([
      import('../../backends/index.ts'),
      import('../../config/config-file.ts'),
      import('../../config/config-exposure.ts'),
      import('../../config/ini-lines.ts'),
    ]);
  const file = tellingExposure(
    openUserConfig(line.flags, env, context.emit, ask, undefined, line.config),
    context.emit,
    'info',
  );
  return {
    file,
    config: iniSections(await file.read(context.signal)),
    configPath: file.path,
    env,
    backends: BACKENDS,
    nearest: nearestName,
    flagValue(flag: string) {
      const key = localKey(flag);
      const isTyped = key !== undefined && line.typed.has(key);
      return line.backendFlags[flag] ?? (isTyped ? String(line.flags[key]) : undefined);
    },
    generalVariable(flag: string) {
      const used = line.variables.findLast(({ key }) => key === localKey(flag));
      return used && { name: used.variable ?? used.name, value: used.text, at: used.at };
    },
    onVariable({ variable, remote, option }: UsedVariable) {
      const isSecret = option.secret === true || option.obscured === true;
      const value = isSecret ? 'REDACTED' : JSON.stringify(variable.value);
      const at = variable.at ?? `environment variable ${variable.name}`;
      // rclone's words.
      const text = `Setting ${option.name}=${value} for "${remote}" from ${at}`;
      context.emit(logText('debug', text));
    },
  };
}

/** The common flags that are options of the backend `local`: `--copy-links` is `local-copy-links`. */
const localKey = (flag: string) => LOCAL_KEYS.find((name) => flag === `local-${name}`);

const LOCAL_KEYS = Object.keys(LOCAL_FLAGS) as readonly (keyof typeof LOCAL_FLAGS)[];
