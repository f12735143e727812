import { userInfo } from 'node:os';

/**
 * The user's home: `$HOME`, else what the system's list of users says, where an empty variable counts as none, as in
 * rclone. `undefined` for a user who has neither, as in many containers.
 */
export function homeFolder(env: NodeJS.ProcessEnv): string | undefined {
  const given = env['HOME'];
  if (given) return given;
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}
