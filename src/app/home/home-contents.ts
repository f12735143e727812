import { loginLength } from '../../auth/login-length.ts';
import { parseToken } from '../../auth/oauth-token.ts';
import { iniSections } from '../../config/ini-lines.ts';
import { kindOf } from '../../config/option-sources.ts';
import { openUserConfig } from '../../config/user-config.ts';
import type { HomeContents, HomeRemote, RemoteState } from '../../home/home-entry.ts';
import type { Invocation } from '../command.ts';
import { REMOTE_KINDS } from '../configure/config-job.ts';
import { historyPath } from '../history/note-run.ts';
import { readPastRuns } from '../history/run-history.ts';

/** What the home screen shows: the remotes of the configuration and the last runs. Asks no store. */
export async function homeContents(invocation: Invocation): Promise<HomeContents> {
  const { flags, env, context, ask } = invocation;
  const config = openUserConfig(flags, env, context.emit, ask);
  const sections = iniSections(await config.read());
  const nowMs = context.clock.now();
  const remotes = [...sections].map(([name, values]) => homeRemote(name, values, nowMs));
  return { remotes, runs: await readPastRuns(historyPath(env)), configPath: config.path };
}

/** A section of the configuration as the home screen shows it. */
export function homeRemote(
  name: string,
  values: ReadonlyMap<string, string>,
  nowMs: number,
): HomeRemote {
  const type = values.get('type') ?? '';
  return { name, type, place: placeOf(values), state: stateOf(type, values, nowMs) };
}

/** The keys that say where a remote points, the most telling first. */
const PLACE_KEYS = ['endpoint', 'remote', 'drive_type', 'region', 'provider'] as const;

function placeOf(values: ReadonlyMap<string, string>): string {
  for (const key of PLACE_KEYS) {
    const value = values.get(key);
    if (value) return value;
  }
  return '';
}

function stateOf(type: string, values: ReadonlyMap<string, string>, nowMs: number): RemoteState {
  const kind = kindOf(type, REMOTE_KINDS);
  if (kind === undefined) return { is: 'unknown-type' };
  if (!kind.options.some(({ name }) => name === 'token')) return { is: 'ready' };
  const token = parseToken(values.get('token') ?? '');
  if (token === undefined) return { is: 'not-logged-in' };
  const text = loginLength(token);
  const { refreshToken, expiresMs } = token;
  const ended = refreshToken === undefined && expiresMs !== undefined && expiresMs <= nowMs;
  return ended ? { is: 'login-ended', text } : { is: 'logged-in', text };
}
