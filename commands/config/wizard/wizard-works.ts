import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LoginChoices } from '../../../src/backends/auth/post-form.ts';
import type { Backend, OpenParams } from '../../../src/backends/backend.ts';
import { BACKENDS } from '../../../src/backends/index.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import type { Draft } from '../../../src/config/dialogue/draft.ts';
import { changesOf } from '../../../src/config/dialogue/option-question.ts';
import type { TestResult, WizardWorks } from '../../../src/config/dialogue/step.ts';
import { storedValues } from '../../../src/config/edit-remote.ts';
import { importRemotes } from '../../../src/config/import-remotes.ts';
import { iniSections } from '../../../src/config/ini-lines.ts';
import { shownType } from '../../../src/config/option-sources.ts';
import { resolveOptions } from '../../../src/config/resolve-options.ts';
import { withSecrets } from '../../../src/config/secret-references.ts';
import { linkedAbort } from '../../../src/core/context.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../src/core/errors.ts';
import type { Op, Remote } from '../../../src/core/remote.ts';
import { isRcloneUsable, rcloneInstead } from '../../../src/run/remotes/left-to-rclone.ts';
import { transportOptions } from '../../../src/run/remotes/transport-options.ts';
import type {
  CommandCall,
  Environment,
  RcloneDraft,
  Remotes,
} from '../../../src/shell/command-line/command.ts';
import { nearestName } from '../../../src/shell/command-line/nearest-name.ts';
import { messageOf } from '../../../src/shell/log/words.ts';
import { expandPath } from '../../../src/system/shell-words.ts';
import { readForeign } from '../foreign-config.ts';

/** The user waits: two attempts, then the error is shown. */
const TRIES = 2;

/** The wizard's operations, with the flags of this run. None of them writes. */
export function wizardWorks(
  invocation: CommandCall & Environment & Remotes,
  file: ConfigFile,
): WizardWorks {
  const { flags, env } = invocation;
  return {
    async login(how, draft, tell, signal) {
      const { loginBrowser } = await import('../../../src/backends/auth/open-browser.ts');
      const choices: LoginChoices = {
        byDevice: how === 'device' || flags.device,
        port: flags['auth-port'],
        openBrowser: loginBrowser(flags, env),
        emit: (event) => tell(messageOf(event)),
      };
      const { backend, params } = await openDraft(invocation, file, draft, signal, TRIES);
      const { reconnect } = await backend.load();
      const token = (await reconnect?.(params, choices))?.['token'];
      if (token !== undefined) return token;
      throw new SyncerError('unsupported', `${shownType(draft.kind)} needs no login`);
    },
    async setUp(draft, input, signal, tell) {
      if (draft.kind.isOfRclone) {
        const { setUpByRclone } = await import('./rclone-set-up.ts');
        return setUpByRclone(invocation, draft, input, tell, signal);
      }
      const { backend, params } = await openDraft(invocation, file, draft, signal, TRIES);
      const { setUp } = await backend.load();
      return (await setUp?.(params, input)) ?? { state: '' };
    },
    async readImport(given, password) {
      const path = resolve(expandPath(given, env));
      if (path === file.path) {
        throw new SyncerError('usage', `"${path}" is syncer's own configuration file`);
      }
      await access(path).catch(() => {
        throw new SyncerError('config', `cannot read "${path}", or it does not exist`);
      });
      const ask = async () => password;
      try {
        const { sections } = await readForeign(path, invocation, ask, () => {});
        const { remotes } = importRemotes(await file.read(), sections, false);
        return { isLocked: false, remotes };
      } catch (thrown) {
        if (!hasCode(thrown, 'config-password')) throw thrown;
        return { isLocked: true, remotes: [] };
      }
    },
    test: (draft, signal) =>
      withDraft(invocation, file, draft, signal, TRIES, (remote) => listRoot(remote, { signal })),
  };
}

/** Lists the root of a remote, and its first bucket: the list of buckets does not show how they are reached. */
export async function listRoot(remote: Remote, op: Op): Promise<TestResult> {
  const page = await remote.listPage('', undefined, op);
  const [bucket] = remote.traits.bucketBased ? page.entries : [];
  if (bucket?.kind === 'dir') {
    await remote.listPage(bucket.path, undefined, op).catch((thrown) => {
      op.signal.throwIfAborted();
      const error = toSyncerError(thrown);
      const isOfHost = hasCode(error, 'network', 'bad-answer', 'timed-out');
      const advice = isOfHost
        ? 'Set force_path_style = true (advanced): the server has no host names for buckets.'
        : `Another bucket may work: save, then try "syncer lsd".`;
      const text = `the buckets can be listed, but not the contents of "${bucket.path}": ${error.message}`;
      throw new SyncerError(error.code, text, { advice, cause: thrown });
    });
  }
  const names = page.entries.slice(0, 5).map(({ path }) => path);
  return { entries: page.entries.length, hasMore: page.cursor !== undefined, names };
}

/**
 * The backend of a draft, as if it were saved. Requests are made at most `tries` times; nothing is logged.
 *
 * @param isForUse opens it through rclone where a command would; a login is always that of its own backend
 */
export async function openDraft(
  invocation: CommandCall & Environment & Remotes,
  file: ConfigFile,
  draft: Draft,
  signal: AbortSignal,
  tries: number,
  isForUse = false,
): Promise<{ backend: Backend; params: OpenParams }> {
  const { context, flags, env } = invocation;
  const { name, kind, values } = draft;
  const section = new Map([['type', kind.type], ...storedValues(values, kind, 'always')]);
  const sources = {
    config: new Map(iniSections(await file.read())).set(name, section),
    configPath: file.path,
    env,
    backends: BACKENDS,
    nearest: nearestName,
    flagValue: () => undefined,
  };
  const own = resolveOptions(`${name}:`, sources);
  const isUsable = () => isRcloneUsable({ flags, env });
  const opener = isForUse ? await rcloneInstead(own, BACKENDS, isUsable) : undefined;
  const { backend, root, options: given } = resolveOptions(`${name}:`, sources, {}, opener);
  const ignore = () => {};
  const stop = linkedAbort(context.signal, signal).signal;
  const options = await withSecrets(given, { remote: name, env, signal: stop, onSecret: ignore });
  const transport = await transportOptions(flags, env, context.clock, ignore);
  const rclone = backend.servesOthers
    ? await invocation.remotes.rcloneSettings(await rcloneDraft(draft, env, stop))
    : undefined;
  const params: OpenParams = {
    name,
    root,
    options,
    context: { ...context, emit: ignore, signal: stop },
    ...(rclone === undefined ? {} : { rclone }),
    transport: { ...transport, lowLevelRetries: Math.min(tries, transport.lowLevelRetries) },
  };
  return { backend, params };
}

/** Opens the remote of a draft for some work, and closes it. */
export async function withDraft<T>(
  invocation: CommandCall & Environment & Remotes,
  file: ConfigFile,
  draft: Draft,
  signal: AbortSignal,
  tries: number,
  work: (remote: Remote) => Promise<T>,
): Promise<T> {
  const { backend, params } = await openDraft(invocation, file, draft, signal, tries, true);
  const remote = await (await backend.load()).open(params);
  try {
    return await work(remote);
  } finally {
    await remote.close();
  }
}

/**
 * A draft of one of rclone's types with what rclone does not find in the file: a stored option that is gone gets its
 * default. The shell that starts rclone drops variables with other characters than those of words, so that a changed
 * draft with such a name gets another one. Rejects with `config` if a reference to a secret stands for nothing.
 */
async function rcloneDraft(
  draft: Draft,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<RcloneDraft> {
  const { name, kind, values, original } = draft;
  const isStored = original !== undefined;
  const { changed: news, deleted: gone } = changesOf(draft);
  const isSame = isStored && news.length === 0 && gone.length === 0;
  const isWord = /^\w+$/.test(name);
  const changed = isWord ? news : isSame ? [] : [...values];
  const references = { remote: name, env, signal, onSecret: () => {} };
  const clear = await withSecrets(Object.fromEntries(changed), references);
  const stored = storedValues(new Map(Object.entries(clear)), kind, 'always');
  const defaults = gone.map((key): [string, string] => {
    const option = kind.options.find((one) => one.name === key);
    return [key, option?.default ?? ''];
  });
  const type = shownType(kind);
  if (isSame || (isStored && isWord))
    return { name, type, options: Object.fromEntries([...defaults, ...stored]) };
  const title = isWord ? name : `draft_of_${name.replace(/\W/g, '_')}`;
  return { name: title, type, options: { type, ...Object.fromEntries(stored) } };
}
