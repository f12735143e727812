import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginBrowser } from '../../../src/backends/auth/open-browser.ts';
import type { RcloneSettings } from '../../../src/backends/backend.ts';
import { type OptionRecord, readOption } from '../../../src/backends/rclone/providers.ts';
import { runRclone } from '../../../src/backends/rclone/rclone-program.ts';
import type { Draft } from '../../../src/config/dialogue/draft.ts';
import { changesOf } from '../../../src/config/dialogue/option-question.ts';
import { draftOf } from '../../../src/config/dialogue/remote-summary.ts';
import { createRemote, storedValues } from '../../../src/config/edit-remote.ts';
import {
  decryptConfig,
  encryptConfig,
  keyOfPassword,
} from '../../../src/config/encrypted-config.ts';
import { iniSections, iniText, parseIni } from '../../../src/config/ini-lines.ts';
import { withSecrets } from '../../../src/config/secret-references.ts';
import { linkedAbort } from '../../../src/core/context.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import { jsonObject } from '../../../src/core/json-object.ts';
import type { SetUpAnswer, SetUpInput } from '../../../src/core/options.ts';
import { optionVariables } from '../../../src/run/remotes/rclone-settings.ts';
import type { CommandCall, Environment, Remotes } from '../../../src/shell/command-line/command.ts';

/**
 * One step of rclone's own dialogue about a remote, by `rclone config update --non-interactive` on a file that holds this
 * draft alone, encrypted with a password of its own. The states are rclone's. Rejects with the meaning of its error.
 */
export async function setUpByRclone(
  invocation: CommandCall & Environment & Remotes,
  draft: Draft,
  { state, result }: SetUpInput,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<SetUpAnswer> {
  const { flags, env, context, remotes } = invocation;
  const { name, kind, values } = draft;
  const stop = linkedAbort(context.signal, signal).signal;
  const settings = await remotes.rcloneSettings({ name, type: kind.type, options: {} });
  if (settings === undefined) return { state: '' };
  const references = { remote: name, env, signal: stop, onSecret: () => {} };
  const clear = await withSecrets(Object.fromEntries(values), references);
  const stored = storedValues(new Map(Object.entries(clear)), kind, 'always');
  const openLink = loginBrowser(flags, env);
  const isStart = state === '' || state === ALL;
  const own = {
    ...settings,
    env: {
      ...settings.env,
      // Answers may be secrets, and arguments are seen by other users.
      ...(isStart ? {} : { RCLONE_STATE: state, RCLONE_RESULT: result }),
      // The link is opened here, by the settings of syncer.
      ...optionVariables(name, { config_auth_no_browser: 'true' }),
    },
  };
  const words = [
    ...['config', 'update', '--non-interactive'],
    ...(state === ALL ? ['--all'] : []),
    ...(isStart ? [] : ['--continue']),
    ...['--', name],
  ];
  let opened = false;
  const told = (line: string) => {
    const [link] = /https?:\/\/\S+/.exec(line) ?? [];
    if (link !== undefined && !opened) openLink?.(link);
    opened ||= link !== undefined;
    tell(line);
  };
  const { text, section } = await withFileOf(name, kind.type, stored, own, (file) =>
    runRclone(file, words, { signal: stop, tell: told }),
  );
  const step = jsonObject<{ State?: string; Option?: OptionRecord | null; Error?: string }>(text);
  if (typeof step?.State !== 'string') {
    throw new SyncerError('config', 'rclone prints no question: it may be too old');
  }
  const { State: next, Option: record, Error: error } = step;
  const { values: original } = draftOf({ name, values: stored }, kind);
  const { changed, deleted } = changesOf({ ...draftOf({ name, values: section }, kind), original });
  return {
    state: next,
    values: Object.fromEntries([...changed, ...deleted.map((key) => [key, ''])]),
    ...(error ? { error } : {}),
    ...(record && {
      question: {
        ...readOption(record),
        help: record.Help.trim(),
        exclusive: record['Exclusive'] === true,
        record,
      },
    }),
  };
}

/** The state at which every option is asked for. */
const ALL = '*all';

/** Runs rclone on a file with one section, which goes afterwards; resolves to what it printed and made of the section. */
async function withFileOf(
  name: string,
  type: string,
  values: ReadonlyMap<string, string>,
  settings: RcloneSettings,
  run: (settings: RcloneSettings) => Promise<string>,
): Promise<{ readonly text: string; readonly section: ReadonlyMap<string, string> }> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-config-'));
  try {
    const configFile = join(dir, 'rclone.conf');
    const secret = randomBytes(24).toString('base64url');
    const plain = Buffer.from(iniText(createRemote([], name, type, values)));
    const sealed = await encryptConfig(plain, keyOfPassword(secret));
    await writeFile(configFile, sealed, { mode: 0o600 });
    const text = await run({ ...settings, configFile, password: async () => secret });
    const changed = await decryptConfig(await readFile(configFile), configFile, async () => secret);
    const lines = parseIni(Buffer.from(changed.text).toString(), configFile);
    return { text, section: iniSections(lines).get(name) ?? new Map() };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
