import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { InstallerOptions } from '../command-line/read-options.ts';
import { SCRIPT_MARK } from '../files/installed-files.ts';
import { type Layout, layoutOf, STRAY } from '../layout.ts';
import { insideRoot } from './inside-root.ts';
import { otherUnits } from './other-units.ts';
import { isOwnHookFile, workFolderOfHooks } from './recognise.ts';

/** Files of the work directory that are deleted without asking. */
const OWN_NAMES: ReadonlySet<string> = new Set(['test.sh', 'test.log']);

/** What there is on a machine, looked at before anything is planned. */
export type Machine = Readonly<Awaited<ReturnType<typeof detectMachine>>>;

/**
 * Looks at the machine. Changes nothing. An installation that is to be removed or changed and whose work folder the
 * user did not name is looked for where its hook file points, when there is none in the current folder.
 */
export async function detectMachine(
  options: InstallerOptions,
  purpose: 'install' | 'change',
  nowMs: number,
) {
  const { root, port } = options;
  const hooksText = await read(root, options.hooks);
  const layout = await findLayout(options, purpose, hooksText);
  const { workFolder, program, hooks, unit } = layout;
  const present = await presentOf(root, layout);
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
    strangers: names.filter((name) => !OWN_NAMES.has(name)),
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

async function presentOf(root: string, layout: Layout): Promise<ReadonlySet<string>> {
  const { enablingLinks, stateFolders, ...single } = layout;
  const paths = [...Object.values(single), ...enablingLinks, ...stateFolders];
  const there = await Promise.all(paths.map((path) => exists(root, path)));
  return new Set(paths.filter((_, i) => there[i]));
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

/**
 * Whether a table of the kernel, `/proc/net/tcp` or `/proc/net/tcp6`, holds a listener on this port, at whatever
 * address. Pure.
 */
export function hasListener(table: string, port: number): boolean {
  const [, ...lines] = table.split('\n');
  return lines.some((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    // 0A: it waits for connections.
    return state === '0A' && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
  });
}

/**
 * The Debian package that one of these files belongs to, or `undefined`. Such a file is the package manager's to
 * replace and to remove.
 */
export async function packageOwner(
  root: string,
  paths: readonly string[],
): Promise<string | undefined> {
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
