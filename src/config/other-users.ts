import { readFile } from 'node:fs/promises';
import { SyncerError } from '../core/errors.ts';

export interface OtherUser {
  readonly name: string;
  readonly uid: number;
  /** What their programs have in the environment: the home and runtime directories. */
  readonly env: NodeJS.ProcessEnv;
}

/** The other users in `/etc/passwd`. Rejects with `access-denied` unless root asks. */
export async function otherUsers(
  uid = process.geteuid?.(),
  path = '/etc/passwd',
): Promise<readonly OtherUser[]> {
  if (uid !== 0) {
    const text = 'only root can list the runs of other users';
    throw new SyncerError('access-denied', text, { advice: 'run it with sudo, or without --all' });
  }
  const users = new Map<number, OtherUser>();
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [name = '', , number = '', , , home = ''] = line.split(':');
    if (!/^\d+$/.test(number) || !home.startsWith('/')) continue;
    const other = Number(number);
    const env = { HOME: home, XDG_RUNTIME_DIR: `/run/user/${other}` };
    if (other !== uid && !users.has(other)) users.set(other, { name, uid: other, env });
  }
  return [...users.values()];
}
