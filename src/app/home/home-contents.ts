import type { ConfigFile } from '../../config/config-file.ts';
import { iniSections } from '../../config/ini-lines.ts';
import { openUserConfig } from '../../config/user-config.ts';
import { summarise } from '../../config-wizard/remote-summary.ts';
import type { HomeContents } from '../../home/home-entry.ts';
import { expandPath } from '../../kit/shell-words.ts';
import type { Invocation } from '../command.ts';
import { REMOTE_KINDS } from '../configure/config-job.ts';
import type { Flags } from '../flags/flag-table.ts';
import { historyPath } from '../history/note-run.ts';
import { readPastRuns } from '../history/past-runs.ts';
import { readJobs } from '../jobs/job-file.ts';
import { shownWords } from '../log/shown-words.ts';
import { firstOffers } from './first-offers.ts';
import { readHealth } from './health-file.ts';

/** The configuration whose remotes are shown; opened once, so that a password is asked once. */
export function homeConfig({ flags, env, context, ask }: Invocation): ConfigFile {
  return openUserConfig(flags, env, context.emit, ask);
}

/** Flags that say where the configuration is: what is started from here must see the same one. */
const PASSED_FLAGS = ['config', 'password-command', 'cache-dir'] as const;

/** The flags that say where the configuration is, as words. */
export function passedFlags(flags: Flags): readonly string[] {
  return PASSED_FLAGS.flatMap((name) => {
    const value = flags[name];
    return value === undefined || value === '' ? [] : [`--${name}=${value}`];
  });
}

/** What the home screen shows: the remotes of the configuration, jobs and the last runs. Asks no store. */
export async function homeContents(
  { env, context, flags }: Invocation,
  config: ConfigFile,
): Promise<HomeContents> {
  const sections = iniSections(await config.read(context.signal));
  const nowMs = context.clock.now();
  const remotes = [...sections].map(([section, values]) => {
    const summary = summarise(section, values, REMOTE_KINDS, nowMs);
    const { name, type, place, login, needsLogin, kind } = summary;
    return { name, type, place, login, needsLogin, isKnown: kind !== undefined };
  });
  // Lines may be older than what is left out of them today.
  const [runs, jobs, health, offers] = await Promise.all([
    readPastRuns(historyPath(env)),
    readJobs(flags, env).catch(() => []),
    readHealth(env),
    remotes.length > 0 ? [] : firstOffers(env),
  ]);
  return {
    ...{ remotes, jobs, mounts: [], offers, asking: new Set<string>() },
    health: new Map([...health].filter(([name]) => sections.has(name))),
    runs: runs.map((run) => ({ ...run, words: shownWords(run.words) })),
    configPath: config.path,
    flags: passedFlags(flags),
    expand: (typed) => expandPath(typed, env),
  };
}
