import { withoutMark } from '../core/user-text.ts';
import type { PasswordSource } from './encrypted-config.ts';
import { type AskPassword, findPassword, type PasswordPlace, PROMPT } from './find-password.ts';

const WRONG = "Couldn't decrypt configuration, most likely wrong password.";
const TRIES = 3;

/**
 * The password from the first of these sources that has one. It is kept; if a typed one is wrong, the user is asked
 * again. Rejects with `config-password` if there is none.
 */
export function passwordFrom(
  places: readonly PasswordPlace[],
  env: NodeJS.ProcessEnv,
): PasswordSource {
  let found: Promise<string> | undefined;
  let asked = 0;
  const counted = places.map((place): PasswordPlace => {
    if (!('ask' in place)) return place;
    return {
      ask: async (prompt) => {
        asked++;
        return place.ask?.(prompt);
      },
    };
  });
  return async (rejected) => {
    found ??= findPassword(counted, env);
    // A mark that an editor put before it: rclone takes it for a part of the password.
    if (rejected !== undefined && withoutMark(rejected) !== rejected) {
      found = Promise.resolve(withoutMark(rejected));
      return found;
    }
    if (rejected === undefined || asked === 0 || asked >= TRIES) return found;
    const ask = counted.find((place) => 'ask' in place)?.ask;
    const another = (await ask?.(`${WRONG}\n${PROMPT}`)) || rejected;
    found = Promise.resolve(another);
    return another;
  };
}

/**
 * The password of syncer's configuration: the output of `--password-command`, `$SYNCER_CONFIG_PASS`,
 * `$RCLONE_CONFIG_PASS`, or typed by the user.
 */
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
