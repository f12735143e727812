import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { InstallerOptions } from '../read-options.ts';
import { insideRoot } from './inside-root.ts';
import { hookFile, type Layout, layoutOf, SCRIPT_MARK, STRAY } from './installed-files.ts';

/** What there is on a machine, looked at before anything is planned. */
export type Machine = Readonly<Awaited<ReturnType<typeof detectMachine>>>;

/** Looks at the machine. To change an installation, its work folder is also looked for where its hook file points. */
export async function detectMachine(
  options: InstallerOptions,
  purpose: 'install' | 'change',
  nowMs: number,
) {
  const { root, port } = options;
  const hooksText = await read(root, options.hooks);
  const layout = await findLayout(options, purpose, hooksText);
  const { workFolder, program, hooks, unit } = layout;
  const { enablingLinks, stateFolders, ...single } = layout;
  const paths = [...Object.values(single), ...enablingLinks, ...stateFolders];
  const there = await Promise.all(paths.map((path) => exists(root, path)));
  const present: ReadonlySet<string> = new Set(paths.filter((_, i) => there[i]));
  const items = [
    ['the directory', workFolder],
    ['the program', program],
    ['the configuration file', hooks],
    ['the service unit', unit],
  ] as const;
  const found = items.filter(([, path]) => present.has(path)).map((item) => item.join(' '));
  if (purpose === 'install') {
    const beside = options.hardened ? [layout.socketUnit, layout.watchUnit, layout.renewUnit] : [];
    const written = [unit, ...beside].map((path) => basename(path));
    found.push(...(await otherUnits(options, written)));
  }
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  if (tables.some((table) => hasListener(table, port))) {
    found.push(`a program that listens on port ${port}`);
  }
  const names = await namesIn(root, workFolder);
  const beside = await namesIn(root, dirname(program));
  const owned = [program, unit].filter((path) => present.has(path));
  const script = await read(root, layout.testScript);
  const folder = await lstat(await insideRoot(root, workFolder)).catch(() => undefined);
  const isKept = present.has(hooks) && !isOwnHookFile(hooksText);
  return {
    /** Where things lie; when uninstalling, where they were found. */
    layout,
    /** The things that a webhook on this machine is known by, as notices name them. */
    found,
    /** Everything of the layout that is there, units and links as well. */
    present,
    /** Files in the work folder besides those that the installer made and the test hook writes. */
    strangers: names.filter((name) => name !== 'test.sh' && name !== 'test.log'),
    /** The work folder is a symbolic link. */
    isFolderLink: folder?.isSymbolicLink() === true,
    /** Where a work folder with files of the user is kept. */
    keptFolder: await freeName(root, workFolder, nowMs),
    /** Where a hook file that the user changed is kept; absent if there is none, or if the installer wrote it. */
    ...(isKept ? { keptHooks: await freeName(root, hooks, nowMs) } : {}),
    /** Files beside the program that a run which was killed has left. */
    strays: beside.filter((name) => STRAY.test(name)).map((name) => join(dirname(program), name)),
    /** Whether the work folder is a webhook's: it has the test script, or the hook file names it. */
    ownsFolder: script?.includes(SCRIPT_MARK) || workFolderOfHooks(hooksText) === workFolder,
    /** The Debian package that owns the program or the unit. */
    owner: owned.length === 0 ? undefined : await packageOwner(root, owned),
    unitText: await read(root, unit),
  };
}

async function findLayout(
  options: InstallerOptions,
  purpose: 'install' | 'change',
  hooksText: string | undefined,
): Promise<Layout> {
  const layout = layoutOf(options);
  if (purpose === 'install' || options.workDirGiven) return layout;
  const named = workFolderOfHooks(hooksText);
  if (named === undefined || (await exists(options.root, layout.testScript))) return layout;
  return layoutOf({ ...options, workDir: dirname(named) });
}

async function exists(root: string, path: string): Promise<boolean> {
  try {
    await lstat(await insideRoot(root, path));
    return true;
  } catch (error) {
    // What cannot be looked at is taken to be there: nothing may be overwritten unseen.
    return !/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}

async function read(root: string, path: string): Promise<string | undefined> {
  return readFile(await insideRoot(root, path), 'utf8').catch(() => undefined);
}

/** `/etc/webhook.conf.removed-2026-11-21`, or with a number behind it if there is one already. */
async function freeName(root: string, path: string, nowMs: number): Promise<string> {
  const name = `${path}.removed-${new Date(nowMs).toLocaleDateString('sv-SE')}`;
  let free = name;
  for (let count = 2; await exists(root, free); count++) free = `${name}-${count}`;
  return free;
}

async function namesIn(root: string, folder: string): Promise<readonly string[]> {
  return readdir(await insideRoot(root, `${folder}/.`)).catch(() => []);
}

/** Whether a table of the kernel, such as `/proc/net/tcp6`, holds a listener on this port. Pure. */
export function hasListener(table: string, port: number): boolean {
  const [, ...lines] = table.split('\n');
  return lines.some((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    // 0A: it waits for connections.
    return state === '0A' && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
  });
}

/** The Debian package that one of these files belongs to, which alone replaces and removes it; else `undefined`. */
export async function packageOwner(root: string, paths: readonly string[]) {
  const lists = await insideRoot(root, '/var/lib/dpkg/info/.');
  const names = await readdir(lists).catch(() => []);
  // Where /lib is a link to /usr/lib, a package may name either.
  const wanted = paths.flatMap((path) => [path, path.replace(/^\/lib\//, '/usr/lib/')]);
  for (const name of names.filter((one) => one.endsWith('.list'))) {
    const text = await readFile(`${lists}/${name}`, 'utf8').catch(() => '');
    if (wanted.some((path) => `\n${text}`.includes(`\n${path}\n`))) {
      return name.slice(0, -'.list'.length).split(':')[0];
    }
  }
  return undefined;
}

/** Whether a hook file is as the installer wrote it, whatever its token. */
function isOwnHookFile(text: string | undefined): boolean {
  const hook = testHook(text);
  if (hook === undefined) return false;
  const folder = String(hook['command-working-directory']);
  const token = String(hook['trigger-rule']?.match?.value);
  return text === hookFile(String(hook['execute-command']), folder, token);
}

/** The `<work_dir>/webhook` that a hook file's hook "test" names, where it does. */
export function workFolderOfHooks(text: string | undefined): string | undefined {
  const command = testHook(text)?.['execute-command'];
  if (typeof command !== 'string' || !command.startsWith('/')) return undefined;
  const folder = dirname(command);
  return basename(command) === 'test.sh' && basename(folder) === 'webhook' ? folder : undefined;
}

/** The port that a service unit passes to webhook. */
export function portOfUnit(text: string | undefined): number | undefined {
  const port = /^ExecStart=.*\s--?port[= ](\d+)/m.exec(text ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}

/** The hook "test", as far as it is looked at here. */
interface ReadHook {
  readonly id?: unknown;
  readonly 'execute-command'?: unknown;
  readonly 'command-working-directory'?: unknown;
  readonly 'trigger-rule'?: { readonly match?: { readonly value?: unknown } };
}

function testHook(text: string | undefined): ReadHook | undefined {
  try {
    const hooks: unknown = JSON.parse(text ?? '');
    if (!Array.isArray(hooks)) return undefined;
    return hooks.find((hook: ReadHook | null) => hook?.id === 'test');
  } catch {
    return undefined;
  }
}

/** Where systemd looks for units, the first before the others: systemd.unit(5). */
export const UNIT_FOLDERS = [
  '/etc/systemd/system.control',
  '/run/systemd/system.control',
  '/run/systemd/transient',
  '/run/systemd/generator.early',
  '/etc/systemd/system',
  '/etc/systemd/system.attached',
  '/run/systemd/system',
  '/run/systemd/system.attached',
  '/run/systemd/generator',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
  '/run/systemd/generator.late',
];

/** Units of these names, and drop-ins for them, that systemd would use instead of those in `unitDir`, for notices. */
async function otherUnits(
  { root, unitDir }: Pick<InstallerOptions, 'root' | 'unitDir'>,
  units: readonly string[],
): Promise<string[]> {
  if (!UNIT_FOLDERS.includes(unitDir)) return [];
  const own = await placeOf(root, unitDir);
  const seen = new Set<string>();
  const found: string[] = [];
  for (const folder of UNIT_FOLDERS) {
    const place = await placeOf(root, folder);
    // /lib may be a link to /usr/lib.
    if (place === undefined || seen.has(place)) continue;
    seen.add(place);
    for (const unit of units) {
      const path = join(folder, unit);
      const inside = await insideRoot(root, path);
      const entry = place === own ? undefined : await lstat(inside).catch(() => undefined);
      if (entry !== undefined) {
        // systemd takes a link to the null device, and an empty file, for a mask.
        const isMask = entry.isFile()
          ? entry.size === 0
          : (await readlink(inside).catch(() => '')) === '/dev/null';
        found.push(`the ${isMask ? 'mask of the service unit' : 'service unit'} ${path}`);
      }
      const parts = await readdir(await insideRoot(root, `${path}.d/.`)).catch(() => []);
      for (const name of parts.filter((one) => one.endsWith('.conf'))) {
        found.push(`the drop-in of the service unit ${join(`${path}.d`, name)}`);
      }
    }
  }
  return found;
}

async function placeOf(root: string, folder: string): Promise<string | undefined> {
  return await realpath(await insideRoot(root, `${folder}/.`)).catch(() => undefined);
}
