import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** A program that is installed. */
export interface FoundProgram {
  readonly name: string;
  readonly path: string;
}

/** Where programs are looked for besides `PATH`: services of systemd have none. */
const USUAL_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];

/** The first of these programs that is installed. */
export async function findProgram(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<FoundProgram | undefined> {
  const folders = (env['PATH'] ?? '').split(':').filter(isAbsolute);
  for (const name of names) {
    for (const folder of [...folders, ...USUAL_FOLDERS]) {
      const path = join(folder, name);
      if (await isExecutable(path)) return { name, path };
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
