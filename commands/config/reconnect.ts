import { runRclone, toLog } from '../../src/backends/rclone/rclone-program.ts';
import { placeScript, setUpAgain } from '../../src/config/dialogue/login-script.ts';
import { draftOf } from '../../src/config/dialogue/remote-summary.ts';
import { updateRemote } from '../../src/config/edit-remote.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { kindOf } from '../../src/config/option-sources.ts';
import { parseRemoteSpec } from '../../src/config/remote-spec.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { compareNames } from '../../src/core/name-order.ts';
import type { Remote } from '../../src/core/remote.ts';
import { goJson } from '../../src/go/go-json.ts';
import {
  kindOfStored,
  notice,
  REMOTE_KINDS,
  type RunConfig,
  sectionOf,
  tellOfLogin,
} from './config-job.ts';

export const reconnect: RunConfig = async (job) => {
  const [spec = ''] = job.args;
  const settings = await job.invocation.remotes.rcloneSettings(spec).catch(asCommandLine);
  if (settings !== undefined) {
    // By the questions of rclone, which come in its own dialogue.
    const { name } = parseRemoteSpec(settings.spec);
    const values = sectionOf(job, iniSections(await job.file.read()), name);
    const { type } = settings;
    // The questions are those of rclone, also about a type that has a backend here.
    const kind = { ...(await kindOfStored(job, type)), type, isOfRclone: true } as const;
    const draft = draftOf({ name, values }, kind);
    const { signal } = job.invocation.context;
    const start = { state: '', result: '' };
    const first = await job.works.setUp(draft, start, signal, (text) => tellOfLogin(job, text));
    if (first.state === '') throw hasNoLogin(settings.spec);
    return job.converse(() => setUpAgain(draft));
  }
  const login = await job.invocation.remotes.reconnect(spec).catch(asCommandLine);
  if (login === undefined) throw hasNoLogin(spec);
  const { section, values, place } = login;
  if (section === undefined) {
    return notice(job, `"${spec}" has no section in the config file: the login was not saved`);
  }
  const news = new Map(Object.entries(values));
  if (place === undefined) {
    await job.file.update((lines) => updateRemote(lines, section, news));
  } else await place.write(news.get('token') ?? '');
  const stored = iniSections(await job.file.read()).get(section) ?? [];
  const now = new Map([...stored, ...news]);
  const kind = kindOf(now.get('type') ?? '', REMOTE_KINDS);
  if (kind === undefined || !job.isTerminal) return;
  await job.converse(() => placeScript(draftOf({ name: section, values: now }, kind)));
};

function hasNoLogin(path: string): SyncerError {
  const text = "backend doesn't support reconnect or authorize";
  return new SyncerError('command-line', text, { path });
}

/** A remote that is not configured is a wrong argument here, as in rclone. */
function asCommandLine(thrown: unknown): never {
  if (!hasCode(thrown, 'unknown-remote')) throw thrown;
  throw new SyncerError('command-line', thrown.message, { cause: thrown });
}

export const disconnect: RunConfig = async ({ args: [spec = ''], invocation }) => {
  const settings = await invocation.remotes.rcloneSettings(spec);
  if (settings !== undefined) {
    await runRclone(settings, ['config', 'disconnect', '--', settings.spec], toLog(invocation));
    return;
  }
  const remote = await invocation.remotes.openDir(spec);
  const { disconnect } = remote.can;
  if (disconnect === undefined) throw cannot(remote, 'Disconnect');
  await disconnect({ signal: invocation.context.signal });
};

export const userInfo: RunConfig = async ({ args: [spec = ''], invocation }) => {
  const { context, flags, out } = invocation;
  const settings = await invocation.remotes.rcloneSettings(spec);
  if (settings !== undefined) {
    const words = ['config', 'userinfo', ...(flags.json ? ['--json'] : []), '--', settings.spec];
    return out.write(await runRclone(settings, words, toLog(invocation)));
  }
  const remote = await invocation.remotes.openDir(spec);
  const { userInfo } = remote.can;
  if (userInfo === undefined) throw cannot(remote, 'UserInfo');
  const info = Object.entries(await userInfo({ signal: context.signal }));
  info.sort(([a], [b]) => compareNames(a, b));
  if (flags.json) return out.write(`${goJson(new Map(info), '\t')}\n`);
  const width = Math.max(0, ...info.map(([key]) => key.length));
  const lines = info.map(([key, value]) => `${key.padStart(width)}: ${value}\n`);
  await out.write(lines.join(''));
};

function cannot({ title }: Remote, what: string): SyncerError {
  return new SyncerError('command-line', `${title} doesn't support ${what}`);
}
