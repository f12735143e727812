import { SyncerError } from '../core/errors.ts';
import { utf16Text, withoutMark } from '../core/name-bytes.ts';
import { exactCommand } from '../system/exact-command.ts';
import type { PasswordSource } from './encrypted-config.ts';

/** The first password there is, kept; if a typed one is wrong, it is asked again. Rejects with `config-password`. */
export function passwordFrom(
  places: readonly (
    | { readonly variable: string }
    | { readonly command: string | undefined }
    | { readonly ask: AskPassword | undefined }
  )[],
  env: NodeJS.ProcessEnv,
): PasswordSource {
  let found: Promise<string> | undefined;
  let asked = 0;
  const ask = async (prompt: string) => {
    asked++;
    return places.find((place) => 'ask' in place)?.ask?.(prompt);
  };
  const find = async () => {
    for (const place of places) {
      let password: string | undefined;
      if ('variable' in place) password = env[place.variable];
      else if ('ask' in place) password = await ask(PROMPT);
      else if (place.command) password = await runPasswordCommand(place.command, env);
      if (password !== undefined && password.trim() !== '') return password;
    }
    const advice = 'give its password in SYNCER_CONFIG_PASS or by --password-command';
    throw new SyncerError('config-password', `the config file is encrypted: ${advice}`);
  };
  return async (rejected) => {
    found ??= find();
    // A mark that an editor put before it: rclone takes it for a part of the password.
    if (rejected !== undefined && withoutMark(rejected) !== rejected) {
      found = Promise.resolve(withoutMark(rejected));
      return found;
    }
    if (rejected === undefined || asked === 0 || asked >= 3) return found;
    const wrong = "Couldn't decrypt configuration, most likely wrong password.";
    const another = (await ask(`${wrong}\n${PROMPT}`)) || rejected;
    found = Promise.resolve(another);
    return another;
  };
}

/** The password of the configuration: `--password-command`, `$SYNCER_CONFIG_PASS`, `$RCLONE_CONFIG_PASS`, or typed. */
export function passwordSource(
  command: string | undefined,
  env: NodeJS.ProcessEnv,
  ask?: AskPassword,
): PasswordSource {
  return passwordFrom(
    [{ command }, { variable: 'SYNCER_CONFIG_PASS' }, { variable: 'RCLONE_CONFIG_PASS' }, { ask }],
    env,
  );
}

async function runPasswordCommand(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { execFile } = await import('node:child_process');
  const [program = '', ...args] = splitCommand(command);
  const { file, args: words, env: variables } = exactCommand({ file: program, args, env });
  return new Promise((resolve, reject) => {
    const how = { env: variables, encoding: 'buffer' } as const;
    const child = execFile(file, words, how, (error, stdout, stderr) => {
      const password = (utf16Text(stdout) ?? String(stdout)).replace(/^[\r\n]+|[\r\n]+$/g, '');
      if (error === null && password !== '') return resolve(password);
      const why = error === null ? 'it printed nothing' : String(stderr).trim() || error.message;
      const line = why.split('\n', 1)[0];
      reject(new SyncerError('config', `--password-command "${program}" failed: ${line}`));
    });
    child.stdin?.end();
  });
}

/** Splits at spaces; a word in double quotes may contain spaces, and `""` for a quote. As rclone reads lists. */
export function splitCommand(command: string): readonly string[] {
  const words = command.match(/"(?:[^"]|"")*"|[^ ]+/g) ?? [];
  return words.map((word) =>
    /^".*"$/s.test(word) ? word.slice(1, -1).replaceAll('""', '"') : word,
  );
}

/** Asks the user at the terminal; resolves to `undefined` without one. */
export type AskPassword = (prompt: string) => Promise<string | undefined>;

/** rclone's words. */
const PROMPT = 'Enter configuration password:';
