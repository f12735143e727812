import { readdir } from 'node:fs/promises';
import { BACKENDS, OWN_BACKENDS, OWN_TYPES } from '../../src/backends/index.ts';
import { rcloneToAsk } from '../../src/backends/rclone/index.ts';
import { ALIAS_KIND } from '../../src/config/alias-target.ts';
import { openUserConfig } from '../../src/config/config-file.ts';
import { stateDir } from '../../src/config/config-path.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { isKnownType, kindOf } from '../../src/config/option-sources.ts';
import type { DescribedKind } from '../../src/config/provider-record.ts';
import { namedRemotes } from '../../src/config/remote-names.ts';
import { formatRemoteSpec, parseRemoteSpec } from '../../src/config/remote-spec.ts';
import type { Context } from '../../src/core/context.ts';
import { listDir } from '../../src/core/remote-calls.ts';
import { RunOpener } from '../../src/run/remotes/open-remote.ts';
import type { Flags } from '../../src/shell/flags/flag-table.ts';
import { readJobs } from '../../src/shell/job-file.ts';
import { KnownSecrets } from '../../src/shell/log/known-secrets.ts';
import { Stores } from '../../src/state/stores.ts';
import { homeFolder } from '../../src/system/shell-words.ts';
import type { Candidate, Wanted } from './complete.ts';

/**
 * The candidates for the word `typed`. Remotes are opened without questions; what was found until `context.signal` is
 * aborted is returned.
 */
export async function lookUp(
  wanted: Exclude<Wanted, { kind: 'words' }>,
  typed: string,
  flags: Flags,
  env: NodeJS.ProcessEnv,
  context: Context,
): Promise<readonly Candidate[]> {
  const remotes = async () => {
    const lines = await openUserConfig(flags, env, context.emit)
      .read()
      .catch(() => []);
    return namedRemotes(iniSections(lines), env, (type) => isKnownType(type, BACKENDS));
  };
  const remoteNames = async (end: string) =>
    (await remotes()).map(({ name, type }) => ({ text: name + end, help: type }));
  /** All types of remotes, with those of rclone if it is installed. */
  const kinds = async (): Promise<readonly DescribedKind[]> => {
    const { providersIfAny } = await import('../../src/backends/rclone/providers.ts');
    const others = await providersIfAny(rcloneToAsk({ flags, env }), OWN_TYPES);
    return [...OWN_BACKENDS, ALIAS_KIND, ...others];
  };
  switch (wanted.kind) {
    case 'remotes':
      return remoteNames(wanted.colon ? ':' : '');
    case 'jobs': {
      const jobs = await readJobs(flags, env);
      return jobs.map(({ name, words }) => ({ text: name, help: words.join(' ') }));
    }
    case 'runs': {
      const { listHistory } = await import('../../src/run/history/list-history.ts');
      const stores = new Stores({ state: stateDir(env), cache: undefined }, () => {});
      const runs = await listHistory({ env, stores }).finally(() => stores.close());
      return runs.map(({ id, words }) => ({ text: id, help: words.join(' ') }));
    }
    case 'types':
      return (await kinds()).map(({ type, summary }) => ({ text: type, help: summary }));
    case 'option-keys': {
      const named = wanted.remote.replace(/:+$/, '');
      const type = wanted.type || (await remotes()).find(({ name }) => name === named)?.type;
      const options = kindOf(type ?? '', await kinds())?.options ?? [];
      return options.map(({ name, help }) => ({ text: `${name}=`, help: help.split('\n', 1)[0] }));
    }
    case 'path': {
      const { lead, localOnly } = wanted;
      const path = typed.slice(lead.length);
      const isRemote = !localOnly && /^:?[^/]*:/.test(path);
      const found = isRemote
        ? await below(path, flags, env, context)
        : await localPaths(path, homeFolder(env));
      const named = localOnly || path.includes('/') || isRemote ? [] : await remoteNames(':');
      return [...named, ...found].map((candidate) => ({
        ...candidate,
        text: lead + candidate.text,
      }));
    }
  }
}

/** The entries of the directory of a remote in which the word is. */
async function below(
  typed: string,
  flags: Flags,
  env: NodeJS.ProcessEnv,
  context: Context,
): Promise<readonly Candidate[]> {
  const spec = parseRemoteSpec(typed);
  const dir = spec.path.slice(0, spec.path.lastIndexOf('/') + 1);
  const head = typed.slice(0, typed.length - spec.path.length) + dir;
  const leaf = spec.path.slice(dir.length);
  const found: Candidate[] = [];
  try {
    const none = new Set<string>();
    const line = {
      command: 'lsf',
      summary: undefined,
      args: [],
      flags,
      beganMs: context.clock.now(),
      given: none,
      typed: none,
      variables: [],
      backendFlags: {},
      flagWords: [],
    };
    const opener = new RunOpener({ line, context, env, secrets: new KnownSecrets() });
    const remote = await opener.openDir(formatRemoteSpec({ ...spec, path: dir }));
    for await (const entries of listDir(remote, '', { signal: context.signal }, () => {})) {
      for (const { path, kind } of entries) {
        if (!path.startsWith(leaf)) continue;
        found.push({ text: head + path + (kind === 'dir' ? '/' : '') });
      }
      // More are useless while typing.
      if (found.length >= 2_000 || context.signal.aborted) break;
    }
  } catch {
    // What cannot be listed in time has no completions.
  }
  return found;
}

async function localPaths(typed: string, home: string | undefined): Promise<readonly Candidate[]> {
  const dir = typed.slice(0, typed.lastIndexOf('/') + 1);
  const shown = typed.slice(dir.length).startsWith('.');
  const folder = dir === '' ? '.' : dir.replace(/^~(?=\/)/, home ?? '~');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => shown || !name.startsWith('.'))
    .map((entry) => ({ text: dir + entry.name + (entry.isDirectory() ? '/' : '') }));
}
