import { readFile, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rcloneToAsk } from '../../src/backends/rclone/index.ts';
import { throughRclone } from '../../src/backends/rclone/rclone-program.ts';
import { type ConfigFile, openUserConfig } from '../../src/config/config-file.ts';
import { rcloneConfigPath } from '../../src/config/config-path.ts';
import { summarise } from '../../src/config/dialogue/remote-summary.ts';
import { iniSections, sectionNames } from '../../src/config/ini-lines.ts';
import { isRemoteName, remoteNameRule } from '../../src/config/remote-names.ts';
import { parseRemoteSpec } from '../../src/config/remote-spec.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import { userText } from '../../src/core/name-bytes.ts';
import { once } from '../../src/core/once.ts';
import { isWithin } from '../../src/core/remote-path.ts';
import { counted } from '../../src/core/shown-text.ts';
import { lastRuns } from '../../src/run/history/list-history.ts';
import { workingDir } from '../../src/run/history/note-run.ts';
import type { HomeContents, HomeOffer, HomePlace, HomeRemote } from '../../src/run/home-entry.ts';
import type { Asking, CommandCall, Environment } from '../../src/shell/command-line/command.ts';
import { readJobs } from '../../src/shell/job-file.ts';
import { shownText, shownWords } from '../../src/shell/log/shown-words.ts';
import { passedFlags } from '../../src/shell/process/own-command-line.ts';
import { allPins, allSaid, putSaid, type RemoteHealth } from '../../src/state/home.ts';
import type { PastRun } from '../../src/state/runs.ts';
import type { Stores } from '../../src/state/stores.ts';
import { expandPath, homeFolder } from '../../src/system/shell-words.ts';
import { REMOTE_KINDS } from '../config/use.ts';

/** The configuration whose remotes are shown; opened once, so that a password is asked once. */
export function homeConfig(invocation: CommandCall & Environment & Asking): ConfigFile {
  const { flags, env, context, ask } = invocation;
  return openUserConfig(flags, env, context.emit, ask);
}

const MOST_RUNS = 200;

/** What the home screen shows: the remotes of the configuration, jobs and the last runs. Asks no store. */
export async function homeContents(
  { env, context, flags, stores }: CommandCall & Environment,
  config: ConfigFile,
): Promise<HomeContents> {
  const sections = iniSections(await config.read(context.signal));
  const nowMs = context.clock.now();
  // Another name would be a flag of the commands from here, or a path in another remote.
  const unusable = [...sections.keys()].find((name) => !isRemoteName(name));
  const usable = [...sections].filter(([name]) => isRemoteName(name));
  const through = once(() => throughRclone(rcloneToAsk({ flags, env })));
  const summaries = usable.map(([section, values]) =>
    summarise(section, values, REMOTE_KINDS, nowMs),
  );
  const remotes = await Promise.all(
    summaries.map(async ({ name, type, place, login, needsLogin, kind }) => ({
      name,
      type,
      place: shownText(place),
      login,
      needsLogin,
      isKnown: kind !== undefined,
      ...(kind?.isOfRclone ? { via: await through() } : {}),
    })),
  );
  let problem =
    unusable === undefined ? undefined : `the remote "${unusable}" is left out: ${remoteNameRule}`;
  const none = (thrown: unknown) => {
    problem = toSyncerError(thrown).message;
    return [];
  };
  const [runs, jobs, health, pins, offers, changedMs] = await Promise.all([
    lastRuns(stores, MOST_RUNS).catch(none),
    readJobs(flags, env).catch(none),
    readHealth(stores),
    stores.look([], allPins).catch(() => []),
    remotes.length > 0 ? [] : firstOffers(env),
    config.path &&
      stat(config.path).then(
        (stats) => stats.mtimeMs,
        () => undefined,
      ),
  ]);
  const isOfRemote = (path: string) => remotes.some(({ name }) => path === `${name}:`);
  const pinned = pins.filter((path) => !isOfRemote(path));
  const places = await knownPlaces(runs, pinned, homeFolder(env));
  const known = remotes.flatMap((remote) => {
    const said = health.get(remote.name);
    return said !== undefined && said.of === healthKey(remote)
      ? [[remote.name, said] as const]
      : [];
  });
  return {
    places,
    pins,
    jobs: jobs.map((job) => ({ ...job, words: shownWords(job.words) })),
    remotes,
    mounts: [],
    running: [],
    undo: new Map(),
    offers,
    asking: new Set<string>(),
    health: new Map(known),
    ...(typeof changedMs === 'number' ? { changedMs } : {}),
    ...(problem === undefined ? {} : { problem }),
    // Lines may be older than what is left out of them today.
    runs: runs.map((run) => ({ ...run, words: shownWords(run.words) })),
    flags: passedFlags(flags),
    noHistory: flags['no-history'],
    expand: (typed) => expandPath(typed, env),
  };
}

/** How many places of the last runs are shown. */
const MOST_PLACES = 4;

/** The working directory, those that are pinned, and the last places that runs browsed, read or wrote. */
async function knownPlaces(
  runs: readonly PastRun[],
  pinned: readonly string[],
  home: string | undefined,
): Promise<readonly HomePlace[]> {
  const cwd = workingDir();
  const short = (path: string) =>
    home !== undefined && isWithin(home, path) ? `~${path.slice(home.length)}` : path;
  const recent = new Set<string>();
  const known = new Set([cwd, ...pinned]);
  for (const { words, dir, exit } of runs) {
    if (exit !== 0 || !WITH_PLACES.has(words[0] ?? '') || dir === '') continue;
    // Behind a flag a word may be its value.
    const end = words.findIndex((word) => word.startsWith('-'));
    for (const word of words.slice(1, end < 0 ? undefined : end)) {
      if (word.includes('REDACTED')) continue;
      const { name, path } = parseRemoteSpec(word);
      const place = name === '' ? resolve(dir, path) : word;
      if (!known.has(place) && path !== '' && recent.size < MOST_PLACES) recent.add(place);
    }
  }
  const last = [...pinned.filter((path) => path !== cwd), ...recent].map((path) => ({
    path,
    shown: shownText(short(path)),
  }));
  if (cwd === '') return last;
  const disk = await statfs(cwd).catch(() => undefined);
  const space = disk && {
    used: (disk.blocks - disk.bfree) * disk.bsize,
    total: disk.blocks * disk.bsize,
  };
  return [{ path: cwd, shown: short(cwd), isHere: true, ...space }, ...last];
}

const WITH_PLACES: ReadonlySet<string> = new Set('ncdu copy sync move bisync check'.split(' '));

/** What a user without a remote can begin with: the configuration of rclone, profiles of AWS, and a demo. */
async function firstOffers(env: NodeJS.ProcessEnv): Promise<readonly HomeOffer[]> {
  const [rclone, profiles] = await Promise.all([rcloneOffer(env), awsProfiles(env)]);
  const demo = {
    label: 'Guided demo',
    note: 'first steps, with temporary files and a temporary server',
    question: 'Start the demo? Its files and its server are deleted at the end.',
    command: { words: ['demo'], hasScreen: true },
  };
  const aws = profiles.slice(0, 5).map((profile): HomeOffer => {
    const name = profile === 'default' ? 'aws' : `aws-${profile.replace(/[^\w.-]/g, '-')}`;
    const options = ['provider=AWS', 'env_auth=true', `profile=${profile}`];
    return {
      label: `AWS profile ${profile}`,
      note: 'S3 with the login of this profile',
      question: `Create the remote ${name} with the AWS profile ${profile}? No key is copied.`,
      command: { words: ['config', 'create', name, 's3', ...options], hasScreen: false },
    };
  });
  return [...rclone, ...aws, demo];
}

async function rcloneOffer(env: NodeJS.ProcessEnv): Promise<readonly HomeOffer[]> {
  const path = await rcloneConfigPath(env);
  const text = path === undefined ? '' : await textOf(path);
  if (path === undefined || text === '') return [];
  const isLocked = text.includes('RCLONE_ENCRYPT_V0:');
  const names = isLocked ? [] : sectionNames(text, path);
  if (!isLocked && names.length === 0) return [];
  const what = isLocked ? 'the remotes' : counted(names.length, 'remote');
  return [
    {
      label: 'Import from rclone',
      note: `${isLocked ? 'encrypted' : what}, ${path}`,
      question: `Import ${what} of ${path}? rclone keeps its own.`,
      command: { words: ['config', 'import', path], hasScreen: false },
    },
  ];
}

/** The profiles of the files of AWS, the default one first. */
async function awsProfiles(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const home = homeFolder(env);
  const inHome = (name: string) => (home === undefined ? undefined : join(home, '.aws', name));
  const files = [
    env['AWS_SHARED_CREDENTIALS_FILE'] || inHome('credentials'),
    env['AWS_CONFIG_FILE'] || inHome('config'),
  ];
  const found = await Promise.all(
    files.map(async (path) => {
      const text = path === undefined ? '' : await textOf(path);
      return text === '' ? [] : sectionNames(text, path ?? '');
    }),
  );
  // The configuration has "[profile NAME]" and sections of other kinds.
  const names = found.flat().map((name) => name.replace(/^profile +/, ''));
  const profiles = [...new Set(names)].filter((name) => /^[\w.@+-]+$/.test(name));
  return profiles.toSorted((a, b) => Number(b === 'default') - Number(a === 'default'));
}

/** Empty if it cannot be read. */
function textOf(path: string): Promise<string> {
  return readFile(path).then(
    (bytes) => userText(bytes),
    () => '',
  );
}

/** What remotes said when they were asked last, by name. Empty where nothing is kept. Never rejects. */
export async function readHealth(stores: Stores): Promise<ReadonlyMap<string, RemoteHealth>> {
  const said = await stores.look(undefined, allSaid).catch(() => undefined);
  return (said ?? new Map()) as Map<string, RemoteHealth>;
}

/** What a name stands for: other configurations may have the same name. */
function healthKey({ type, place }: Pick<HomeRemote, 'type' | 'place'>): string {
  return `${type} ${place}`;
}

/** Keeps what a remote said, for the next time. Never rejects: without a home or room on the disk nothing is kept. */
export async function keepHealth(
  stores: Stores,
  remote: HomeRemote,
  health: RemoteHealth,
): Promise<void> {
  const said = { ...health, of: healthKey(remote) };
  await stores.tryState('what the remotes say is not kept', (database) =>
    putSaid(database, remote.name, said),
  );
}
