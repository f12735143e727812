import { SyncerError } from '../core/errors.ts';
import { utf16Text } from '../core/user-text.ts';
import { exactCommand } from '../system/exact-command.ts';

/** A source for the password of an encrypted configuration. */
export type PasswordPlace =
  | { readonly variable: string }
  | { readonly command: string | undefined }
  | { readonly ask: AskPassword | undefined };

/** The password from the first place that has one. Rejects with `config-password` if none has. */
export async function findPassword(
  places: readonly PasswordPlace[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  for (const place of places) {
    const password = await passwordAt(place, env);
    if (password !== undefined && password.trim() !== '') return password;
  }
  throw new SyncerError(
    'config-password',
    'the config file is encrypted: give its password in SYNCER_CONFIG_PASS or by --password-command',
  );
}

async function passwordAt(
  place: PasswordPlace,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if ('variable' in place) return env[place.variable];
  if ('ask' in place) return place.ask?.(PROMPT);
  return place.command ? runPasswordCommand(place.command, env) : undefined;
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
export const PROMPT = 'Enter configuration password:';
