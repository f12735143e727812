import { OWN_BACKENDS } from '../../src/backends/index.ts';
import { rcloneToAsk } from '../../src/backends/rclone/index.ts';
import { findRclone } from '../../src/backends/rclone/rclone-program.ts';
import { leadingTo } from '../../src/config/alias-target.ts';
import { keptIn } from '../../src/config/config-file.ts';
import { lacksRclone, type WizardKind } from '../../src/config/dialogue/draft.ts';
import { editScript } from '../../src/config/dialogue/menu-script.ts';
import { changesOf } from '../../src/config/dialogue/option-question.ts';
import { remoteDialogue } from '../../src/config/dialogue/remote-script.ts';
import { draftOf } from '../../src/config/dialogue/remote-summary.ts';
import type { WizardWorks } from '../../src/config/dialogue/step.ts';
import {
  createRemote,
  type Obscuring,
  parsePairs,
  replacedType,
  storedValues,
  updateRemote,
} from '../../src/config/edit-remote.ts';
import { deleteIniKey, deleteIniSection, renameSection } from '../../src/config/ini-edit.ts';
import {
  type ConfigSections,
  type IniLine,
  iniSections,
  trimBlanks,
} from '../../src/config/ini-lines.ts';
import { isPassword, kindOf, shownType } from '../../src/config/option-sources.ts';
import { checkRemoteName } from '../../src/config/remote-names.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { goJson } from '../../src/go/go-json.ts';
import { isRcloneUsable, loginWithoutRclone } from '../../src/run/remotes/left-to-rclone.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import {
  type ConfigJob,
  kindOfRemote,
  kindOfStored,
  kindWithOptions,
  notice,
  plainName,
  type RunConfig,
  sectionOf,
  tellOfLogin,
} from './config-job.ts';
import { nextStep } from './next-step.ts';
import { showRemote } from './show-config.ts';

export const create: RunConfig = async (job) => {
  const [name = '', type = '', ...rest] = job.args;
  checkRemoteName(name);
  if (type === '') {
    throw new SyncerError('config', `remote "${name}" has no "type": set it as well`);
  }
  await kindOfRemote(job, name, type);
  await change(job, name, parsePairs(rest), job.invocation.flags.continue ? undefined : type);
};

export const update: RunConfig = async (job) => {
  const [given = '', ...rest] = job.args;
  await change(job, plainName(given), parsePairs(rest), undefined);
};

export const unset: RunConfig = async (job) => {
  const [given = '', ...keys] = job.args;
  const name = plainName(given);
  if (keys.includes('type')) {
    const text = `cannot unset the type of "${name}": delete the remote with config delete`;
    throw new SyncerError('command-line', text);
  }
  const lines = await job.file.update((now) => {
    sectionOf(job, iniSections(now), name);
    return keys.reduce((rest, key) => deleteIniKey(rest, name, key), now);
  });
  await showRemote(job, name, iniSections(lines));
};

export const setPasswords: RunConfig = async (job) => {
  const [given = '', ...rest] = job.args;
  const name = plainName(given);
  const pairs = parsePairs(rest);
  const kind = await kindOfStored(job, typeOf(job, await job.file.read(), name), pairs.keys());
  for (const key of pairs.keys()) {
    if (isPassword(kind, key)) continue;
    throw new SyncerError(
      'usage',
      `"${key}" is not a password of ${shownType(kind)}: use config update`,
    );
  }
  const lines = await job.file.update((now) => {
    typeOf(job, now, name);
    return updateRemote(now, name, storedValues(pairs, kind, 'always'));
  });
  await showRemote(job, name, iniSections(lines), kind);
};

export const rename: RunConfig = async (job) => {
  const [from = '', to = ''] = job.args.map(plainName);
  const lines = await job.file.update((now) => {
    sectionOf(job, iniSections(now), from);
    return renameSection(now, from, to);
  });
  for (const other of leadingTo(iniSections(lines), from)) {
    notice(job, `"remote" of "${other}" still refers to "${from}": change it with config update`);
  }
};

export const remove: RunConfig = async (job) => {
  const name = plainName(job.args[0] ?? '');
  let existed = false;
  await job.file.update((lines) => {
    existed = iniSections(lines).has(name);
    return deleteIniSection(lines, name);
  });
  if (!existed) notice(job, `No remote named "${name}": nothing was deleted`);
};

/** Stores values of a remote, a new one if it has a `newType`, asks the open questions, and reports the result. */
async function change(
  job: ConfigJob,
  name: string,
  pairs: ReadonlyMap<string, string>,
  newType: string | undefined,
): Promise<void> {
  const { flags, out } = job.invocation;
  const { program, env } = rcloneToAsk(job.invocation);
  const asks = flags['non-interactive'] || flags.continue;
  const prepared = (now: readonly IniLine[]) =>
    newType === undefined ? now : createRemote(now, name, newType, new Map());
  const read = await job.file.read();
  const wanted = pairs.get('type');
  const kind =
    wanted === undefined
      ? await kindOfStored(job, typeOf(job, prepared(read), name))
      : await kindOfRemote(job, name, wanted);
  const given = storedValues(pairs, kind, obscuring(job));
  const withPairs = (now: readonly IniLine[]) => updateRemote(prepared(now), name, given);
  const section = sectionOf(job, iniSections(withPairs(read)), name);
  for (const [key, value] of given) {
    if (trimBlanks(value) === value) continue;
    // Also that of rclone. Obscured passwords keep theirs.
    notice(job, `blanks at the ends of "${key}" are not stored: no configuration file keeps them`);
  }
  if (flags['config-all'] && !asks && !flags['auto-confirm']) {
    await kindOfRemote(job, name, kind.type);
    if (lacksRclone(kind)) await findRclone(program, env, kind.type);
    return askAll(job, name, kind, section, pairs, newType !== undefined);
  }
  // Of values as they are stored: passwords obscured, as rclone stores them, too.
  const setUp: WizardWorks['setUp'] = async ({ values, original }, step, signal, tell) => {
    const clear = { ...draftOf({ name, values }, kind), original };
    const told = await job.works.setUp(clear, step, signal, tell);
    const news = storedValues(new Map(Object.entries(told.values ?? {})), kind, 'always');
    return { ...told, values: Object.fromEntries(news) };
  };
  const begun = { name, kind, values: section, original: undefined };
  const start = flags.state || (flags['config-all'] ? '*all' : '');
  const stepped = await nextStep(
    begun,
    { state: start, result: flags.result ?? '' },
    {
      works: kind.isOfRclone ? { ...job.works, setUp } : job.works,
      choices: pairs,
      takesDefaults: flags['auto-confirm'] || !asks,
      followsLogin: asks || [...pairs.keys()].some((key) => key.startsWith('config_')),
      tell: (text) => tellOfLogin(job, text),
      signal: job.invocation.context.signal,
    },
  );
  const { changed } = changesOf({ ...stepped.draft, original: section });
  let replaced: string | undefined;
  const lines = await job.file.update(
    (now) =>
      updateRemote(withPairs(now), name, storedValues(new Map(changed), kind, obscuring(job))),
    undefined,
    (before, after) => {
      replaced = replacedType(before, after, name, newType !== undefined);
      return replaced !== undefined;
    },
  );
  if (replaced !== undefined) {
    const kept = job.file.path === undefined ? '' : `; ${keptIn(job.file.path)}`;
    notice(job, `replaced the remote "${name}" (${replaced})${kept}`);
  }
  await tellUnknownKeys(job, kind, pairs);
  if (!asks) await tellNoLogin(job, name, kind, iniSections(lines));
  if (flags['no-output']) return;
  if (!asks) return showRemote(job, name, iniSections(lines));
  const { state, option = null } = stepped.question;
  const record = { State: state, Option: option, Error: stepped.error, Result: '' };
  await out.write(`${goJson(record, '\t')}\n`);
}

/** `syncer config edit`: the wizard's dialogue on one remote. */
export const editRemote: RunConfig = async (job) => {
  const name = plainName(job.args[0] ?? '');
  if (name !== '') await stored(job, name);
  await job.converse((world) => editScript(world, name));
};

/** `--all`: asks for every option without a value. */
async function askAll(
  job: ConfigJob,
  name: string,
  kind: WizardKind,
  section: ReadonlyMap<string, string>,
  pairs: ReadonlyMap<string, string>,
  isNew: boolean,
): Promise<void> {
  const draft = draftOf({ name, values: section }, kind);
  const values = new Map([...draft.values].filter(([key]) => !key.startsWith('config_')));
  const original = isNew
    ? undefined
    : draftOf({ name, values: await stored(job, name) }, kind).original;
  const answered = new Set(pairs.keys());
  await job.converse((world) => {
    const replaces = isNew && world.remotes.some((remote) => remote.name === name);
    return remoteDialogue({ ...draft, values, original, replaces }, world, answered);
  });
}

async function stored(job: ConfigJob, name: string): Promise<ReadonlyMap<string, string>> {
  return sectionOf(job, iniSections(await job.file.read()), name);
}

function obscuring({ invocation: { flags } }: ConfigJob): Obscuring {
  if (flags['no-obscure']) return 'never';
  return flags.obscure ? 'always' : 'as-needed';
}

function typeOf(job: ConfigJob, lines: readonly IniLine[], name: string): string {
  const type = sectionOf(job, iniSections(lines), name).get('type') ?? '';
  if (type !== '') return type;
  throw new SyncerError('config', `remote "${name}" has no "type": set it as well`);
}

/** Says what a remote still needs that is not logged in, or whose login cannot be renewed. */
async function tellNoLogin(
  job: ConfigJob,
  name: string,
  { type, login }: WizardKind,
  config: ConfigSections,
): Promise<void> {
  const options = Object.fromEntries(config.get(name) ?? []);
  const backend = kindOf(type, OWN_BACKENDS);
  // An application that logs in itself does so at the first request.
  const isKeyed = /^(?:true|t|1)$/i.test(options['client_credentials'] ?? '');
  if (login === undefined || backend === undefined || isKeyed) return;
  const { invocation } = job;
  const left = loginWithoutRclone(backend, options, invocation.context.clock.now());
  if (left !== undefined && !(await isRcloneUsable(invocation)))
    return notice(job, `${name}: ${left.text}`);
  if (options['token']) return;
  notice(job, `${name}: not logged in yet; run "syncer config reconnect ${shellWord(`${name}:`)}"`);
}

/** Unknown keys are stored as well, since rclone may support them. */
async function tellUnknownKeys(
  job: ConfigJob,
  kind: WizardKind,
  pairs: ReadonlyMap<string, string>,
): Promise<void> {
  if (lacksRclone(kind)) {
    const { program, env } = rcloneToAsk(job.invocation);
    await findRclone(program, env, kind.type).catch(({ message }) => notice(job, message));
    return;
  }
  if ((await kindWithOptions(kind.type, job.kinds)) === undefined) {
    const how = 'even passwords: use "syncer config password" to obscure them';
    return notice(job, `unsupported type "${kind.type}": values are stored as given, ${how}`);
  }
  for (const key of pairs.keys()) {
    if (key === 'type' || /^(?:config_|global\.|override\.)/.test(key)) continue;
    if (kind.options.some((option) => option.name === key)) continue;
    notice(job, `${shownType(kind)} has no option "${key}": stored, but ignored`);
  }
}
