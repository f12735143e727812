import { readdir } from 'node:fs/promises';
import { BACKENDS, OWN_BACKENDS, OWN_TYPES } from '../../src/backends/index.ts';
import { rcloneToAsk } from '../../src/backends/rclone/index.ts';
import { ALIAS_KIND } from '../../src/config/alias-target.ts';
import { stateDir } from '../../src/config/config-path.ts';
import { type ConfigSections, iniSections } from '../../src/config/ini-lines.ts';
import { isKnownType, kindOf } from '../../src/config/option-sources.ts';
import type { DescribedKind } from '../../src/config/provider-record.ts';
import { namedRemotes } from '../../src/config/remote-names.ts';
import { formatRemoteSpec, parseRemoteSpec } from '../../src/config/remote-spec.ts';
import { openUserConfig } from '../../src/config/user-config.ts';
import type { Context } from '../../src/core/context.ts';
import { listDir } from '../../src/core/list-dir.ts';
import type { Remote } from '../../src/core/remote.ts';
import { createOpener } from '../../src/run/remotes/open-remote.ts';
import type { Flags } from '../../src/shell/flags/flag-table.ts';
import { readJobs } from '../../src/shell/job-file.ts';
import { KnownSecrets } from '../../src/shell/log/known-secrets.ts';
import { Stores } from '../../src/state/stores.ts';
import { homeFolder } from '../../src/system/shell-words.ts';
import type { Candidate, Wanted } from './complete.ts';

/** What completions are looked up in. */
export interface Surroundings {
  readonly remotes: readonly { readonly name: string; readonly type: string }[];
  readonly jobs: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Earlier runs with an ID, newest first. */
  runs(): Promise<readonly { readonly id?: string; readonly words: readonly string[] }[]>;
  readonly config: ConfigSections;
  /** All types of remotes, with those of rclone if it is installed. */
  kinds(): Promise<readonly DescribedKind[]>;
  /** The home directory of the user, for `~`. */
  readonly home: string | undefined;
  openDir(spec: string): Promise<Remote>;
  /** Ends the look-up: what was found until then is returned. */
  readonly signal: AbortSignal;
}

/** More are useless while typing. */
const MOST = 2_000;

/** The candidates for the word `typed`. */
export async function lookUp(
  wanted: Exclude<Wanted, { kind: 'words' }>,
  typed: string,
  around: Surroundings,
): Promise<readonly Candidate[]> {
  switch (wanted.kind) {
    case 'remotes':
      return remoteNames(around, wanted.colon ? ':' : '');
    case 'jobs':
      return around.jobs.map(({ name, words }) => ({ text: name, help: words.join(' ') }));
    case 'runs':
      return (await around.runs()).map(({ id = '', words }) => ({
        text: id,
        help: words.join(' '),
      }));
    case 'types':
      return (await around.kinds()).map(({ type, summary }) => ({ text: type, help: summary }));
    case 'option-keys':
      return optionKeys(wanted.remote, wanted.type, around);
    case 'path': {
      const { lead, localOnly } = wanted;
      const found = await paths(typed.slice(lead.length), localOnly, around);
      return found.map((candidate) => ({ ...candidate, text: lead + candidate.text }));
    }
  }
}

function remoteNames({ remotes }: Surroundings, end: string): readonly Candidate[] {
  return remotes.map(({ name, type }) => ({ text: name + end, help: type }));
}

async function optionKeys(
  remote: string,
  type: string,
  { remotes, kinds }: Surroundings,
): Promise<readonly Candidate[]> {
  const wanted = type || remotes.find(({ name }) => name === remote.replace(/:+$/, ''))?.type;
  const options = kindOf(wanted ?? '', await kinds())?.options ?? [];
  return options.map(({ name, help }) => ({
    text: `${name}=`,
    help: help.split('\n', 1)[0] ?? '',
  }));
}

async function paths(
  typed: string,
  localOnly: boolean,
  around: Surroundings,
): Promise<readonly Candidate[]> {
  const isRemote = !localOnly && /^:?[^/]*:/.test(typed);
  if (isRemote) return below(typed, around);
  const local = await localPaths(typed, around.home);
  return localOnly || typed.includes('/') ? local : [...remoteNames(around, ':'), ...local];
}

/** The entries of the directory of a remote in which the word is. */
async function below(typed: string, around: Surroundings): Promise<readonly Candidate[]> {
  const spec = parseRemoteSpec(typed);
  const dir = spec.path.slice(0, spec.path.lastIndexOf('/') + 1);
  const head = typed.slice(0, typed.length - spec.path.length) + dir;
  const leaf = spec.path.slice(dir.length);
  const found: Candidate[] = [];
  try {
    const remote = await around.openDir(formatRemoteSpec({ ...spec, path: dir }));
    for await (const entries of listDir(remote, '', { signal: around.signal }, () => {})) {
      for (const { path, kind } of entries) {
        if (!path.startsWith(leaf)) continue;
        found.push({ text: head + path + (kind === 'dir' ? '/' : '') });
      }
      if (found.length >= MOST || around.signal.aborted) break;
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

/** What completions are looked up in: the configuration, and remotes that are opened without questions. */
export async function surroundings(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  context: Context,
): Promise<Surroundings> {
  const lines = await openUserConfig(flags, env, context.emit)
    .read()
    .catch(() => []);
  const config = iniSections(lines);
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
  return {
    config,
    remotes: namedRemotes(config, env, (type) => isKnownType(type, BACKENDS)),
    jobs: await readJobs(flags, env).catch(() => []),
    async runs() {
      const { listHistory } = await import('../../src/run/history/list-history.ts');
      const stores = new Stores({ state: stateDir(env), cache: undefined }, () => {});
      return listHistory({ env, stores }).finally(() => stores.close());
    },
    async kinds() {
      const { providersIfAny } = await import('../../src/backends/rclone/providers.ts');
      const others = await providersIfAny(rcloneToAsk({ flags, env }), OWN_TYPES);
      return [...OWN_BACKENDS, ALIAS_KIND, ...others];
    },
    home: homeFolder(env),
    openDir: createOpener(line, context, env, new KnownSecrets()).openDir,
    signal: context.signal,
  };
}
