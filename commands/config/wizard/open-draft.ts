import type { Backend, OpenParams } from '../../../src/backends/backend.ts';
import { BACKENDS } from '../../../src/backends/index.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import type { Draft } from '../../../src/config/dialogue/draft.ts';
import { changesOf } from '../../../src/config/dialogue/option-question.ts';
import { storedValues } from '../../../src/config/edit-remote.ts';
import { iniSections } from '../../../src/config/ini-lines.ts';
import { resolveOptions } from '../../../src/config/resolve-options.ts';
import { withSecrets } from '../../../src/config/secret-references.ts';
import { linkedAbort } from '../../../src/core/context.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { transportOptions } from '../../../src/run/remotes/transport-options.ts';
import type { Invocation, RcloneDraft } from '../../../src/shell/command-line/command.ts';
import { nearestName } from '../../../src/shell/command-line/nearest-name.ts';

/**
 * The backend of a draft, with options from the environment besides its own, as if it were saved. Each request is made
 * at most `tries` times; nothing is logged.
 */
export async function openDraft(
  invocation: Invocation,
  file: ConfigFile,
  draft: Draft,
  signal: AbortSignal,
  tries: number,
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
  const { backend, root, options: given } = resolveOptions(`${name}:`, sources);
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
  ...[invocation, file, draft, signal, tries, work]: [
    ...Parameters<typeof openDraft>,
    (remote: Remote) => Promise<T>,
  ]
): Promise<T> {
  const { backend, params } = await openDraft(invocation, file, draft, signal, tries);
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
  const { type } = kind;
  if (isSame || (isStored && isWord))
    return { name, type, options: Object.fromEntries([...defaults, ...stored]) };
  const title = isWord ? name : `draft_of_${name.replace(/\W/g, '_')}`;
  return { name: title, type, options: { type, ...Object.fromEntries(stored) } };
}
