import type { Flags } from '../app/flags/flag-table.ts';
import { readJobs } from '../app/jobs/job-file.ts';
import { KnownSecrets } from '../app/log/known-secrets.ts';
import { createOpener } from '../app/remotes/open-remote.ts';
import { BACKENDS } from '../backends/index.ts';
import { ALIAS_KIND } from '../config/alias-target.ts';
import { iniSections } from '../config/ini-lines.ts';
import { isKnownType } from '../config/option-sources.ts';
import { namedRemotes } from '../config/remote-names.ts';
import { openUserConfig } from '../config/user-config.ts';
import type { Context } from '../core/context.ts';
import { homeFolder } from '../kit/shell-words.ts';
import type { Surroundings } from './look-up.ts';

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
    args: [],
    flags,
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
    kinds: [...BACKENDS, ALIAS_KIND],
    home: homeFolder(env),
    openDir: createOpener(line, context, env, new KnownSecrets()).openDir,
    signal: context.signal,
  };
}
