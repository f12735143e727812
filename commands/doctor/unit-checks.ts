import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { counted } from '../../src/core/shown-text.ts';
import { type CheckResult, failed, ok } from './check.ts';

/** Where systemd looks for units, first what comes first: systemd.unit(5). */
export const unitFolders = (env: NodeJS.ProcessEnv, home = homedir()): readonly string[] => [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
  join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd/user'),
  '/etc/systemd/user',
];

/** What makes a unit one of these programs. */
const PROGRAM = /^ExecStart=.*[/\s](syncer|webhook)(\.js)?(\s|"|$)/m;
/** The setting, with its last value. */
const SETTING = /^\s*MemoryDenyWriteExecute\s*=\s*(\S*)/gm;

/** Whether a unit that starts syncer or webhook forbids Node to compile, so that it ends with a core dump. */
export async function* unitChecks(folders: readonly string[]): AsyncGenerator<CheckResult> {
  const units = new Map<string, string>();
  const seen = new Set<string>();
  for (const folder of folders) {
    for (const name of await namesIn(folder, '.service')) {
      if (seen.has(name)) continue;
      seen.add(name);
      const path = join(folder, name);
      const text = await textOf(path);
      if (PROGRAM.test(text)) units.set(name, path);
    }
  }
  let denied = 0;
  for (const [name, path] of units) {
    const from = await denying(name, path, folders);
    if (from === undefined) continue;
    denied++;
    const text = `${name} cannot start: ${from} sets MemoryDenyWriteExecute, and Node compiles code`;
    yield failed('units', text, `systemctl edit ${name}   # MemoryDenyWriteExecute=no`);
  }
  if (denied === 0)
    yield ok('units', `${counted(units.size, 'systemd unit')} of syncer or webhook`);
}

/** The file whose setting holds for a unit, if it is on; drop-ins come after the unit, by their names. */
async function denying(
  name: string,
  path: string,
  folders: readonly string[],
): Promise<string | undefined> {
  const dropIns = new Map<string, string>();
  for (const folder of folders) {
    for (const part of ['service.d', `${name}.d`]) {
      for (const file of await namesIn(join(folder, part), '.conf'))
        if (!dropIns.has(file)) dropIns.set(file, join(folder, part, file));
    }
  }
  const sorted = [...dropIns].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file);
  let from: string | undefined;
  for (const file of [path, ...sorted]) {
    for (const [, value = ''] of (await textOf(file)).matchAll(SETTING))
      from = /^(1|y|yes|t|true|on)$/i.test(value) ? file : undefined;
  }
  return from;
}

async function namesIn(folder: string, end: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(end)).sort();
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');
