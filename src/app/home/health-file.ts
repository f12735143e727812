import { dirname, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { readRegularFile } from '../../files/read-whole.ts';
import { replaceText } from '../../files/replace-text.ts';
import type { HomeRemote } from '../../home/home-entry.ts';
import { formatHealth, parseHealth, type RemoteHealth } from '../../home/remote-health.ts';

/** What remotes said when they were asked last, by name. Empty where nothing is kept. */
export async function readHealth(
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, RemoteHealth>> {
  const file = healthPath(env);
  return parseHealth(file === undefined ? '' : await readRegularFile(file).then(String, () => ''));
}

/** What a name stands for: other configurations may have the same name. */
export function healthKey({ type, place }: Pick<HomeRemote, 'type' | 'place'>): string {
  return `${type} ${place}`;
}

/** Keeps what a remote said, for the next time. Never rejects: without a home or room on the disk nothing is kept. */
export async function keepHealth(
  env: NodeJS.ProcessEnv,
  remote: HomeRemote,
  health: RemoteHealth,
): Promise<void> {
  const file = healthPath(env);
  if (file === undefined) return;
  news.set(remote.name, { ...health, of: healthKey(remote) });
  writing = writing.then(() => addNews(env, file));
  await writing;
}

/** What is not written yet: several remotes may answer at once. */
const news = new Map<string, RemoteHealth>();

let writing = Promise.resolve();

async function addNews(env: NodeJS.ProcessEnv, file: string): Promise<void> {
  if (news.size === 0) return;
  const some = [...news];
  news.clear();
  try {
    await makeFolder(dirname(file), 0o700);
    await replaceText(file, formatHealth(new Map([...(await readHealth(env)), ...some])));
  } catch {
    // It is asked again.
  }
}

function healthPath(env: NodeJS.ProcessEnv): string | undefined {
  const folder = stateDir(env);
  return folder && join(folder, 'remotes.json');
}
