import { readdirSync, renameSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import type { Backend, OpenParams } from '../../backends/backend.ts';
import type { AskPassword } from '../../config/config-password.ts';
import { stateDir } from '../../config/config-path.ts';
import type { ConfigSections } from '../../config/ini-lines.ts';
import type { UsedVariable } from '../../config/option-sources.ts';
import type { RemoteSpec } from '../../config/remote-spec.ts';
import type { FixedOptions, ResolvedRemote } from '../../config/resolve-options.ts';
import type { Context } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import type { Entry, Op, Remote } from '../../core/remote.ts';
import { cleanPath } from '../../core/remote-path.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import type { CommandLine, RemoteOpener } from '../../shell/command-line/command.ts';
import { nearestName } from '../../shell/command-line/nearest-name.ts';
import { LOCAL_FLAGS } from '../../shell/flags/copy-flags.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import type { KnownSecrets } from '../../shell/log/known-secrets.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { Stores } from '../../state/stores.ts';
import type { RecordKind } from '../../state/uploads.ts';
import { isReference } from '../../system/secret-reference.ts';
import type { LazyJournal } from '../history/lazy-journal.ts';
import { createLayers } from './layers.ts';
import { transportOptions } from './transport-options.ts';

/** A path with its backend and options. */
interface Resolved extends ResolvedRemote<Backend> {
  /** The same for its own backend, which leaves it to rclone. */
  readonly insteadOf?: ResolvedRemote<Backend>;
}

/** The opener of a run, which can be that of others inside it. */
export interface RunOpener extends RemoteOpener {
  /** The same configuration and connections for a run inside this one, with a journal of its own. */
  inRun(runId: string, journal: LazyJournal | undefined): RemoteOpener;
}

/**
 * The opener of a run. Configuration, backends and certificates are read when the first remote is opened.
 *
 * @param ask asks for the password of an encrypted configuration
 * @param runId goes with what the run learns
 * @param journal notes all changes
 * @param stores what the run keeps; without it, it keeps nothing
 */
export function createOpener(
  line: CommandLine,
  context: Context,
  env: NodeJS.ProcessEnv,
  secrets: KnownSecrets,
  ask?: AskPassword,
  runId = '',
  journal?: LazyJournal,
  stores?: Stores,
): RunOpener {
  /** Absolute local paths that begin with the name of a remote, and what they are with its colon. */
  const colonless = new Map<string, string>();
  const sources = once(() => readSources(line, context, env, ask));
  const transportBy = (flags: Flags) => transportOptions(flags, env, context.clock, context.emit);
  const transport = once(() => transportBy(line.flags));
  const transportOf = async (resolved: Resolved) => {
    if (Object.keys(resolved.flags).length === 0) return transport();
    const { flagsOfRemote } = await import('./remote-flags.ts');
    const flags = flagsOfRemote(resolved.flags, line, context.clock.now());
    return flags === line.flags ? transport() : transportBy(flags);
  };

  const references = {
    env,
    signal: context.signal,
    onSecret: (secret: string) => secrets.add(secret),
    asked: new Map<string, Promise<string>>(),
  };
  const inClear = async ({ name, section }: Resolved, options: Resolved['options']) => {
    if (!Object.values(options).some(isReference)) return options;
    const { withSecrets } = await import('../../config/secret-references.ts');
    return withSecrets(options, { ...references, remote: section ?? name });
  };

  const records = line.flags['no-resume'] ? {} : transferRecords(context, env, stores);
  const shared = new Map<string, unknown>();
  const share = <T>(key: string, make: () => T): T => {
    if (!shared.has(key)) shared.set(key, make());
    return shared.get(key) as T;
  };

  /**
   * The newest login of a remote whose option `token` is that of its section, and where it is kept; `undefined` for any
   * other. `clear`: the options with references resolved.
   */
  const loginOf = async (resolved: Resolved, clear: Resolved['options']) => {
    const { section, backend, options: stored } = resolved;
    if (section === undefined || !backend.options.some(({ name }) => name === 'token'))
      return undefined;
    const { file, config } = await sources();
    const configured = (section && config.get(section)?.get('token')) || '';
    if (configured !== (stored['token'] ?? '')) return undefined;
    const { tokenInConfig, tokenByReference, tokenStoreOf } = await import(
      '../../config/token-store.ts'
    );
    const { token: now = '', client_id: clientId = '' } = clear;
    const store = tokenStoreOf({ file, section, clientId }, env, context.emit);
    const token = (await store?.newest(now)) ?? now;
    if (!isReference(configured)) return { place: tokenInConfig(file, section, store), token };
    const read = async () => (await inClear(resolved, { token: configured }))['token'];
    return store && { place: tokenByReference(read, store), token };
  };

  const rcloneOf = async ({ spec, type }: Pick<Resolved, 'spec' | 'type'>) => {
    const [{ rcloneSettings }, { remotesBelow }, { rejectGlobalsBelow }] = await Promise.all([
      import('./rclone-settings.ts'),
      import('../../config/remotes-below.ts'),
      import('./remote-flags.ts'),
    ]);
    const { file, config } = await sources();
    rejectGlobalsBelow(remotesBelow(spec, config, env), config, line);
    return rcloneSettings({ spec, type, line, env, config, file, references });
  };

  const logIgnored = ignoredOptionsLog(context);
  const namedLogins = new Set<string>();
  const tellLogin = async ({ spec: { name }, backend, options, insteadOf }: Resolved) => {
    const isLeft = insteadOf !== undefined || backend.isLeftToRclone?.(options) === true;
    if (!isLeft || namedLogins.has(name)) return;
    namedLogins.add(name);
    const { loginLog } = await leftToRclone();
    const event = loginLog(name, insteadOf === undefined ? backend : undefined, options, context);
    if (event !== undefined) context.emit(event);
  };
  const paramsOf = async (resolved: Resolved, root: string): Promise<OpenParams> => {
    const { name, backend } = resolved;
    logIgnored(resolved);
    await tellLogin(resolved);
    const clear = await inClear(resolved, resolved.options);
    const login = await loginOf(resolved, clear);
    const options = login === undefined ? clear : { ...clear, token: login.token };
    for (const option of backend.options) {
      if (option.secret === true) secrets.add(options[option.name] ?? '');
    }
    const { metadata, 'ignore-size': size, 'ignore-checksum': checksum } = line.flags;
    const hasReferences = Object.values(resolved.options).some(isReference);
    return {
      name,
      root,
      options,
      ...(hasReferences ? { optionsNow: () => inClear(resolved, resolved.options) } : {}),
      context,
      transport: await transportOf(resolved),
      listsMetadata: metadata,
      mayDiffer: { size, checksum },
      ...records,
      shared: share,
      ...(backend.servesOthers ? { rclone: await rcloneOf(resolved) } : {}),
      ...(login && { tokenPlace: login.place }),
    };
  };

  const openBare = async (resolved: Resolved, root: string): Promise<Remote> => {
    const { backend, spec, type, insteadOf } = resolved;
    if (insteadOf !== undefined && !insteadOf.options['token']) {
      const text = `${spec.name}: not logged in yet; run "syncer config reconnect ${spec.name}:"`;
      throw new SyncerError('sign-in-needed', text);
    }
    const module = await backend.load();
    try {
      return await module.open(await paramsOf(resolved, root));
    } catch (thrown) {
      // rclone is missing, or has no such type.
      const [known, { kindOf }] = await Promise.all([
        sources(),
        import('../../config/option-sources.ts'),
      ]);
      const isUnknown = backend.servesOthers === true && kindOf(type, known.backends) === undefined;
      if (!isUnknown || !hasCode(thrown, 'config')) throw thrown;
      const { unknownType } = await import('../../config/remote-faults.ts');
      throw unknownType(spec.name, type, known);
    }
  };

  const logLikeRemote = likeRemoteLog(context);
  const leftToRclone = once(() => import('./left-to-rclone.ts'));
  const isUsable = once(async () =>
    (await leftToRclone()).isRcloneUsable({ flags: line.flags, env }),
  );

  const resolve = async (spec: string, fixed?: FixedOptions): Promise<Resolved> => {
    const { resolveOptions } = await import('../../config/resolve-options.ts');
    let resolved: Resolved;
    try {
      resolved = resolveOptions(spec, await sources(), fixed);
    } catch (thrown) {
      const { orInRclone } = await import('../../config/remote-faults.ts');
      throw await orInRclone(thrown, spec, (await sources()).configPath, env);
    }
    if (resolved.backend.isLeftToRclone !== undefined) {
      const [{ rcloneInstead }, found] = await Promise.all([leftToRclone(), sources()]);
      const opener = await rcloneInstead(resolved, found.backends, isUsable);
      const insteadOf = resolved;
      if (opener !== undefined)
        resolved = { ...resolveOptions(spec, found, fixed, opener), insteadOf };
    }
    // On a disk, `..` depends on links.
    if (resolved.backend.type === 'local') {
      const [name = ''] = spec.split('/', 1);
      const isRemote = name !== '' && (await sources()).config.has(name);
      if (isRemote) colonless.set(resolvePath(spec), `${name}:${spec.slice(name.length + 1)}`);
      // Also the target of an alias.
      logLikeRemote(resolved.spec, (await sources()).config);
      return resolved;
    }
    // To rclone, `/` at the start of a path may be the top of a server, and not the home of a user.
    const top = resolved.backend.servesOthers && resolved.root.startsWith('/') ? '/' : '';
    return { ...resolved, root: top + cleanPath(resolved.root) };
  };

  const openerOf = (id: string, noting: LazyJournal | undefined): RemoteOpener => {
    const opened: Remote[] = [];
    const openPlain = async (spec: string): Promise<Remote> => {
      const resolved = await resolve(spec);
      const remote = await openBare(resolved, resolved.root);
      opened.push(remote);
      return remote;
    };
    const layers = createLayers(line, context, id, noting, stores, openPlain);
    const openAt = async (resolved: Resolved, root: string): Promise<Remote> => {
      const remote = await layers.around(await openBare(resolved, root));
      opened.push(remote);
      return remote;
    };
    /** The remote, whose layers are logged. */
    const withLog = (remote: Remote): Remote => {
      const { layers = [], title } = remote;
      const text = `Layers from the inside out: ${layers.join(', ')}`;
      if (context.verbose === true) context.emit(logText('debug', text, title));
      return remote;
    };
    return {
      async readConfig() {
        await sources();
      },
      async openDir(spec, fixed) {
        const resolved = await resolve(spec, fixed);
        return withLog(await openAt(resolved, resolved.root));
      },
      async openPath(spec, fixed, op = context) {
        const resolved = await resolve(spec, fixed);
        const { root } = resolved;
        const slash = root.lastIndexOf('/');
        const leaf = root.slice(slash + 1);
        // Otherwise it can only be a directory.
        if (leaf !== '' && leaf !== '.' && leaf !== '..') {
          const here = resolved.backend.type === 'local' ? '.' : '';
          const dir = slash < 0 ? here : slash === 0 ? '/' : root.slice(0, slash);
          const parent = await openAt(resolved, dir);
          // A trailing slash makes it one in an object store, but not on a disk, as in rclone.
          const mayExist = !parent.traits.bucketBased || (slash > 0 && !spec.endsWith('/'));
          const entry = mayExist ? await look(parent, leaf, op) : undefined;
          if (entry?.kind === 'file') return { remote: withLog(parent), file: entry };
        }
        return { remote: withLog(await openAt(resolved, root)) };
      },
      async connectionString(spec) {
        const [{ connectionString }, { ALIAS_KIND }, found] = await Promise.all([
          import('../../config/resolve-options.ts'),
          import('../../config/alias-target.ts'),
          sources(),
        ]);
        return connectionString(spec, { ...found, backends: [...found.backends, ALIAS_KIND] });
      },
      async reconnect(spec) {
        const resolved = await resolve(spec);
        const { reconnect } = await resolved.backend.load();
        if (reconnect === undefined) return undefined;
        const params = await paramsOf(resolved, resolved.root);
        const { flags } = line;
        const { loginBrowser } = await import('../../backends/auth/open-browser.ts');
        const openBrowser = loginBrowser(flags, env);
        const byDevice =
          flags.device || (!flags['auth-no-open-browser'] && openBrowser === undefined);
        const choices = { byDevice, port: flags['auth-port'], openBrowser, emit: context.emit };
        const values = await reconnect(params, choices);
        return { section: resolved.section, values, place: params.tokenPlace };
      },
      async rcloneSettings(remote) {
        if (typeof remote === 'string') {
          const resolved = await resolve(remote);
          return resolved.backend.servesOthers ? rcloneOf(resolved) : undefined;
        }
        const { name, type, options } = remote;
        const settings = await rcloneOf({ spec: { name, overrides: new Map(), path: '' }, type });
        const { optionVariables } = await import('./rclone-settings.ts');
        return { ...settings, env: { ...settings.env, ...optionVariables(name, options) } };
      },
      meantInstead({ code, path = '' }) {
        const isMissing = code === 'directory-not-found' || code === 'file-not-found';
        return isMissing ? colonless.get(resolvePath(path)) : undefined;
      },
      async closeAll() {
        const hasOpened = opened.length > 0;
        const closing = opened.splice(0).map((remote) => remote.close());
        await Promise.allSettled(closing);
        if (hasOpened) await layers.close();
        await Promise.all(closing);
      },
    };
  };
  return { ...openerOf(runId, journal), inRun: openerOf };
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

async function readSources(
  line: CommandLine,
  context: Context,
  env: NodeJS.ProcessEnv,
  ask: AskPassword | undefined,
) {
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

/** Logs each option of a remote that is set and has no effect here, once for all remotes of that name. */
export function ignoredOptionsLog({ emit }: Pick<Context, 'emit'>) {
  const logged = new Set<string>();
  return ({
    section,
    backend,
    options,
  }: Pick<Resolved, 'section' | 'options'> & {
    readonly backend: Pick<Backend, 'type' | 'options'>;
  }): void => {
    const path = section ?? backend.type;
    for (const { name: option, ignoredAt: level, default: unset = '' } of backend.options) {
      const isSet = !['', 'unset', 'false', unset].includes(options[option] ?? '');
      const key = `${path}:${option}`;
      if (level === undefined || !isSet || logged.has(key)) continue;
      logged.add(key);
      emit({ type: 'log', level, path, code: 'option-ignored', fields: { option } });
    }
  };
}

/** Logs once of a local path that it has the name of a remote, in rclone's words. */
function likeRemoteLog({ emit }: Pick<Context, 'emit'>) {
  const logged = new Set<string>();
  return ({ name, path }: RemoteSpec, config: ConfigSections): void => {
    if (name !== '' || !config.has(path) || logged.has(path)) return;
    logged.add(path);
    const text = `"${path}" refers to a local folder, use "${path}:" to refer to your remote or "./${path}" to hide this warning`;
    emit(logText('notice', text));
  };
}

/** Less is sent again: to look for it costs requests, and to keep it money. In bytes. */
const RESUMED_FROM = 64 << 20;

/** The records of unfinished transfers, in the state; none for a user without a home. */
export function transferRecords(
  context: Pick<Context, 'clock' | 'emit'>,
  env: NodeJS.ProcessEnv,
  stores: Stores | undefined,
): { readonly uploads?: UploadRecordsAccess; readonly downloads?: UploadRecordsAccess } {
  const dir = stateDir(env);
  if (dir === undefined || stores === undefined) return {};
  const recordsOf = (kind: RecordKind): UploadRecordsAccess => ({
    from: RESUMED_FROM,
    open: once(async () => {
      nameEarlier(join(dir, `${kind}s`), kind, context);
      const { uploadRecords } = await import('../../state/uploads.ts');
      return uploadRecords(kind, stores, () => context.clock.now());
    }),
  });
  return { uploads: recordsOf('upload'), downloads: recordsOf('download') };
}

/** Names the records of a version that had a file for each, once: they are moved aside. */
function nameEarlier(folder: string, kind: RecordKind, { emit }: Pick<Context, 'emit'>): void {
  const aside = `${folder}.earlier`;
  try {
    if (!readdirSync(folder).some((name) => name.endsWith('.jsonl'))) return;
    renameSync(folder, aside);
  } catch {
    return;
  }
  const text = `Unfinished ${kind}s of an earlier version are not resumed; their records are now in ${aside}`;
  const end =
    kind === 'upload'
      ? '"syncer uploads ls remote:bucket" lists what a server keeps of them'
      : '"syncer cleanup" deletes the files below a directory that they left';
  emit(logText('notice', `${text}; ${end}`));
}
