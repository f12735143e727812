import { userInfo } from 'node:os';

/** The user's home: `$HOME` if not empty, else from the system's list of users, as in rclone; `undefined` if there is none. */
export function homeFolder(env: NodeJS.ProcessEnv): string | undefined {
  const given = env['HOME'];
  if (given) return given;
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}
