import type { Backend, OpenParams, RcloneSettings } from '../../backends/backend.ts';
import type { RemoteSpec } from '../../config/remote-spec.ts';
import type { RemoteReferences } from '../../config/secret-references.ts';
import type { Context } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import type { Remote } from '../../core/remote.ts';
import { isReference } from '../../system/secret-reference.ts';
import type { OpenerParts, RemoteResolver, Resolved } from './resolve-remote.ts';
import {
  type TransferRecords,
  transferRecords,
  type UploadNotes,
  uploadNotes,
} from './transfer-records.ts';
import { transportOptions } from './transport-options.ts';

/** Opens remotes as their backends do, without layers. What they share, such as logins, is that of a program. */
export class BareRemotes {
  readonly #parts: OpenerParts;
  readonly #resolver: RemoteResolver;
  readonly #transport: () => Promise<OpenParams['transport']>;
  readonly #records: TransferRecords;
  readonly #uploadNotes: UploadNotes;
  readonly #references: Omit<RemoteReferences, 'remote'>;
  readonly #shared = new Map<string, unknown>();
  readonly #logIgnored: (resolved: Resolved) => void;
  /** The remotes whose login was logged. */
  readonly #namedLogins = new Set<string>();

  constructor(parts: OpenerParts, resolver: RemoteResolver) {
    const { line, context, env, secrets, stores } = parts;
    this.#parts = parts;
    this.#resolver = resolver;
    this.#transport = once(() => transportOptions(line.flags, env, context.clock, context.emit));
    this.#records = line.flags['no-resume'] ? {} : transferRecords(context, env, stores);
    this.#uploadNotes = uploadNotes(context, stores);
    this.#logIgnored = ignoredOptionsLog(context);
    this.#references = {
      env,
      signal: context.signal,
      onSecret: (secret: string) => secrets.add(secret),
      asked: new Map<string, Promise<string>>(),
    };
  }

  /** Opens it at `root`. Rejects with `config`, `sign-in-needed`, and as its backend does. */
  async open(resolved: Resolved, root: string): Promise<Remote> {
    const { backend, spec, type, insteadOf } = resolved;
    if (insteadOf !== undefined && !insteadOf.options['token']) {
      const text = `${spec.name}: not logged in yet; run "syncer config reconnect ${spec.name}:"`;
      throw new SyncerError('sign-in-needed', text);
    }
    const module = await backend.load();
    try {
      return await module.open(await this.params(resolved, root));
    } catch (thrown) {
      // rclone is missing, or has no such type.
      const [known, { kindOf }] = await Promise.all([
        this.#resolver.sources(),
        import('../../config/option-sources.ts'),
      ]);
      const isUnknown = backend.servesOthers === true && kindOf(type, known.backends) === undefined;
      if (!isUnknown || !hasCode(thrown, 'config')) throw thrown;
      const { unknownType } = await import('../../config/remote-faults.ts');
      throw unknownType(spec.name, type, known);
    }
  }

  /** What its backend opens it with, or logs in to it again. Logs options without effect, and who renews its login. */
  async params(resolved: Resolved, root: string): Promise<OpenParams> {
    const { name, backend } = resolved;
    const { line, context, secrets } = this.#parts;
    this.#logIgnored(resolved);
    await this.#logLogin(resolved);
    const clear = await this.#inClear(resolved, resolved.options);
    const login = await this.#loginOf(resolved, clear);
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
      ...(hasReferences ? { optionsNow: () => this.#inClear(resolved, resolved.options) } : {}),
      context,
      transport: await this.#transportOf(resolved),
      listsMetadata: metadata,
      mayDiffer: { size, checksum },
      ...this.#records,
      ...this.#uploadNotes,
      shared: (key, create) => this.#share(key, create),
      ...(backend.servesOthers ? { rclone: await this.rcloneSettings(resolved) } : {}),
      ...(login && { tokenPlace: login.place }),
    };
  }

  /** How rclone is started for a remote. */
  async rcloneSettings({
    spec,
    type,
  }: {
    readonly spec: RemoteSpec;
    readonly type: string;
  }): Promise<RcloneSettings> {
    const [{ rcloneSettings }, { remotesBelow }, { rejectGlobalsBelow }] = await Promise.all([
      import('./rclone-settings.ts'),
      import('../../config/remotes-below.ts'),
      import('./remote-flags.ts'),
    ]);
    const { line, env } = this.#parts;
    const { file, config } = await this.#resolver.sources();
    rejectGlobalsBelow(remotesBelow(spec, config, env), config, line);
    return rcloneSettings({ spec, type, line, env, config, file, references: this.#references });
  }

  async #transportOf(resolved: Resolved): Promise<OpenParams['transport']> {
    if (Object.keys(resolved.flags).length === 0) return this.#transport();
    const { line, context, env } = this.#parts;
    const { flagsOfRemote } = await import('./remote-flags.ts');
    const flags = flagsOfRemote(resolved.flags, line, context.clock.now());
    return flags === line.flags
      ? this.#transport()
      : transportOptions(flags, env, context.clock, context.emit);
  }

  async #inClear(
    { name, section }: Resolved,
    options: Resolved['options'],
  ): Promise<Resolved['options']> {
    if (!Object.values(options).some(isReference)) return options;
    const { withSecrets } = await import('../../config/secret-references.ts');
    return withSecrets(options, { ...this.#references, remote: section ?? name });
  }

  #share<T>(key: string, create: () => T): T {
    if (!this.#shared.has(key)) this.#shared.set(key, create());
    return this.#shared.get(key) as T;
  }

  /**
   * The newest login of a remote whose option `token` is that of its section, and where it is kept; `undefined` for any
   * other. `clear`: the options with references resolved.
   */
  async #loginOf(resolved: Resolved, clear: Resolved['options']) {
    const { section, backend, options: stored } = resolved;
    if (section === undefined || !backend.options.some(({ name }) => name === 'token'))
      return undefined;
    const { env, context } = this.#parts;
    const { file, config } = await this.#resolver.sources();
    const configured = (section && config.get(section)?.get('token')) || '';
    if (configured !== (stored['token'] ?? '')) return undefined;
    const { tokenInConfig, tokenByReference, tokenStoreOf } = await import(
      '../../config/token-store.ts'
    );
    const { token: now = '', client_id: clientId = '' } = clear;
    const store = tokenStoreOf({ file, section, clientId }, env, context.emit);
    const token = (await store?.newest(now)) ?? now;
    if (!isReference(configured)) return { place: tokenInConfig(file, section, store), token };
    const read = async () => (await this.#inClear(resolved, { token: configured }))['token'];
    return store && { place: tokenByReference(read, store), token };
  }

  async #logLogin({ spec: { name }, backend, options, insteadOf }: Resolved): Promise<void> {
    const isLeft = insteadOf !== undefined || backend.isLeftToRclone?.(options) === true;
    if (!isLeft || this.#namedLogins.has(name)) return;
    this.#namedLogins.add(name);
    const { context } = this.#parts;
    const { loginLog } = await import('./left-to-rclone.ts');
    const event = loginLog(name, insteadOf === undefined ? backend : undefined, options, context);
    if (event !== undefined) context.emit(event);
  }
}

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
