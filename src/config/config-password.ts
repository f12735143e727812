import { SyncerError } from '../core/errors.ts';
import type { PasswordSource } from './encrypted-config.ts';

/**
 * The password of an encrypted configuration: what `--password-command` prints, else `$SYNCER_CONFIG_PASS`,
 * else `$RCLONE_CONFIG_PASS`. Found once and kept. Rejects with `config` where there is none.
 */
export function passwordSource(
  command: string | undefined,
  env: NodeJS.ProcessEnv,
): PasswordSource {
  let found: Promise<string> | undefined;
  return () => {
    found ??= findPassword(command, env);
    return found;
  };
}

async function findPassword(command: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  const password =
    command === undefined || command === ''
      ? env['SYNCER_CONFIG_PASS'] || env['RCLONE_CONFIG_PASS']
      : await runPasswordCommand(command, env);
  if (password !== undefined && password.trim() !== '') return password;
  throw new SyncerError(
    'config',
    'the config file is encrypted: give its password in SYNCER_CONFIG_PASS or by --password-command',
  );
}

async function runPasswordCommand(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { execFile } = await import('node:child_process');
  const [program = '', ...args] = splitCommand(command);
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { env }, (error, stdout, stderr) => {
      const password = stdout.replace(/^[\r\n]+|[\r\n]+$/g, '');
      if (error === null && password !== '') return resolve(password);
      const why = error === null ? 'it printed nothing' : stderr.trim() || error.message;
      const line = why.split('\n', 1)[0];
      reject(new SyncerError('config', `--password-command "${program}" failed: ${line}`));
    });
    child.stdin?.end();
  });
}

/** Words between blanks; a word in double quotes may hold blanks, and `""` for a quote. As rclone reads lists. */
export function splitCommand(command: string): readonly string[] {
  const words = command.match(/"(?:[^"]|"")*"|[^ ]+/g) ?? [];
  return words.map((word) =>
    /^".*"$/s.test(word) ? word.slice(1, -1).replaceAll('""', '"') : word,
  );
}
