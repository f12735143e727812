import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { makeFolder, replaceText } from '../../files/make-folder.ts';
import { formatHealth, parseHealth, type RemoteHealth } from '../../home/remote-health.ts';

/** What remotes said when they were asked last, by name. Empty where nothing is kept. */
export async function readHealth(
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, RemoteHealth>> {
  const file = healthPath(env);
  return parseHealth(file === undefined ? '' : await readFile(file, 'utf8').catch(() => ''));
}

/** Keeps what remotes said, for the next time. Never rejects: without a home or room on the disk nothing is kept. */
export async function keepHealth(
  env: NodeJS.ProcessEnv,
  all: ReadonlyMap<string, RemoteHealth>,
): Promise<void> {
  const file = healthPath(env);
  if (file === undefined) return;
  try {
    await makeFolder(dirname(file), 0o700);
    await replaceText(file, formatHealth(all));
  } catch {
    // It is asked again.
  }
}

function healthPath(env: NodeJS.ProcessEnv): string | undefined {
  const folder = stateDir(env);
  return folder && join(folder, 'remotes.json');
}
