import { constants, statSync } from 'node:fs';
import { access, chmod, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exposure } from '../../src/config/config-exposure.ts';
import { type ConfigFile, formerPath } from '../../src/config/config-file.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { DamagedDatabase, hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { counted } from '../../src/core/shown-text.ts';
import type { ListedRecord, UploadRecordsAccess } from '../../src/core/upload-records.ts';
import { allowsOthers, type FuseSurroundings } from '../../src/fuse/mounts/check-mount-point.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import { deadEntries, listEntries, type RunList } from '../../src/run/presence/list-entries.ts';
import { putAside, type Schema } from '../../src/state/database.ts';
import { hadState, isThere } from '../../src/state/lost-state.ts';
import { leftFiles } from '../../src/state/replace-file.ts';
import { CACHE, STATE } from '../../src/state/schemas.ts';
import { faultOf, restoreState } from '../../src/state/state-copy.ts';
import { nearestExisting } from '../../src/system/fs-path.ts';
import { parseReference } from '../../src/system/secret-reference.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import type { ListedMount } from '../mount/use.ts';
import { type CheckResult, failed, ok, trying, unknown, warning } from './check.ts';

/** Less free space than this is worth a warning, in bytes. */
const LEAST_FREE = 256 * 1024 ** 2;

/** The checks of the configuration file. */
export async function* configChecks(file: ConfigFile): AsyncGenerator<CheckResult> {
  const { path } = file;
  if (path === undefined) return yield ok('config', 'in memory only');
  const isThere = await access(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  );
  if (!isThere) return yield ok('config', `${path} does not exist yet`);
  try {
    const lines = await file.read();
    const sections = iniSections(lines);
    yield ok('config', `${path}, ${counted(sections.size, 'remote')}`);
    yield* privateFile('config-mode', path, exposure(file, lines) !== undefined);
    for (const value of new Set([...sections.values()].flatMap((values) => [...values.values()]))) {
      const { kind, name } = parseReference(value) ?? {};
      if (kind !== 'file' || name === undefined) continue;
      const found = await stat(name).catch(() => undefined);
      if (found?.isFile()) yield* privateFile('secret-file', name, isOpen(found.mode));
    }
  } catch (thrown) {
    yield failed('config', toSyncerError(thrown).message, `ls -l ${shellWord(path)}`);
  }
  const former = formerPath(path);
  const old = await stat(former).catch(() => undefined);
  if (old !== undefined) yield* privateFile('config-backup', former, isOpen(old.mode));
}

function* privateFile(check: string, path: string, isExposed: boolean): Generator<CheckResult> {
  if (!isExposed) return yield ok(check, `${path} is readable only by its owner`);
  const [mend, fix] = ownMode(path, '600');
  yield { ...failed(check, `other users can read secrets in ${path}`, mend), fix };
}

/** The command that takes a path from other users, and what does the same. */
function ownMode(path: string, mode: '600' | '700') {
  const fix = async () => {
    await chmod(path, mode);
    return `set the mode of ${path} to 0${mode}`;
  };
  return [`chmod ${mode} ${shellWord(path)}`, fix] as const;
}

const isOpen = (mode: number): boolean => process.platform !== 'win32' && (mode & 0o044) !== 0;

/** The checks of a directory that syncer writes to; `isPrivate`: only its owner may enter it. */
export async function* folderChecks(
  check: string,
  path: string,
  isPrivate: boolean,
  {
    freeBytes = async (path: string) => {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    },
    mayWrite = (path: string) =>
      access(path, constants.W_OK | constants.X_OK).then(
        () => true,
        () => false,
      ),
  } = {},
): AsyncGenerator<CheckResult> {
  const place = await nearestExisting(path);
  const found = await stat(place).catch(() => undefined);
  const quoted = shellWord(place);
  if (found?.isDirectory() !== true) {
    return yield failed(check, `${place} is not a directory`, `ls -ld ${quoted}`);
  }
  if (!(await mayWrite(place))) {
    return yield failed(check, `${place} cannot be written`, `ls -ld ${quoted}`);
  }
  const isMissing = place !== path;
  if (isPrivate && !isMissing && (found.mode & 0o077) !== 0) {
    const [mend, fix] = ownMode(path, '700');
    yield { ...warning(check, `${path} is open to other users`, mend), fix };
  } else yield ok(check, isMissing ? `${path}, created when needed` : path);
  const bytes = await freeBytes(place);
  if (bytes >= LEAST_FREE) return;
  const text = `${formatSizeUnit(bytes)} free in ${place}`;
  yield warning(`${check}-space`, text, `du -xh ${quoted} | sort -h | tail`);
}

/** What mounts need, and those that exist. */
export interface MountSurroundings extends Omit<FuseSurroundings, 'env'> {
  /** The path of fusermount. */
  readonly findFusermount: () => Promise<string | undefined>;
  readonly mounts: () => Promise<readonly ListedMount[]>;
}

/** The checks of mounts. */
export async function* mountChecks(around: MountSurroundings): AsyncGenerator<CheckResult> {
  const { device, uid, settings, findFusermount, mounts } = around;
  if (process.platform !== 'linux') return yield unknown('fuse', 'mount works on Linux only');
  try {
    await access(device, constants.R_OK | constants.W_OK);
    yield ok('fuse', device);
  } catch (thrown) {
    // Machines that mount nothing need no device.
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    yield isMissing
      ? warning('fuse', `${device} does not exist: mount does not work`, 'sudo modprobe fuse')
      : warning('fuse', `${device} cannot be opened by this user`, `sudo chmod 666 ${device}`);
  }
  const program = await findFusermount();
  if (program !== undefined) yield ok('fusermount', program);
  else if (uid === 0) yield ok('fusermount', 'not installed, and root does not need it');
  else {
    const text = 'fusermount3 is not installed: only root can mount';
    yield warning('fusermount', text, 'sudo apt install fuse3');
  }
  let others = 'root may use --allow-other';
  if (uid !== 0) {
    others = (await allowsOthers(settings))
      ? `${settings} has user_allow_other`
      : `only root may use --allow-other; to change that: echo user_allow_other | sudo tee -a ${settings}`;
  }
  yield ok('allow-other', others);
  const found = await mounts();
  const dead = found.filter(({ health }) => health === 'stale' || health === 'hung');
  if (dead.length === 0) {
    const live = found.filter(({ health }) => health === 'live').length;
    yield ok('mounts', live === 0 ? 'none' : `${live} respond`);
  }
  for (const { mountPoint, source, health } of dead) {
    const what =
      health === 'stale'
        ? `the process of the mount of ${source} on ${mountPoint} is gone`
        : `the mount of ${source} on ${mountPoint} does not respond`;
    yield failed('mounts', what, `fusermount3 -uz ${shellWord(mountPoint)}`);
  }
}

/** The parts of the program that may be missing on a machine. */
export interface ProgramParts {
  readonly version: string;
  readonly nodeVersion: string;
  /** Loads the native module for calls of the C library. */
  readonly loadNative: () => Promise<unknown>;
  /** Resolves to the response of a thread. */
  readonly askThread: () => Promise<unknown>;
  /** Where compiled code is cached; `undefined`: nowhere. */
  readonly compileCache: string | undefined;
  /** A variable turns that off. */
  readonly isCacheOff: boolean;
  /** The newest released version; absent without `--online`; `undefined` if there is no release. */
  readonly newest?: () => Promise<string | undefined>;
}

/** Not a command: a name in a registry may be anybody's. */
const AGAIN = 'install syncer again, from where this one came';

/** The checks of the program itself. */
export async function* programChecks(parts: ProgramParts): AsyncGenerator<CheckResult> {
  const { version, nodeVersion, loadNative, askThread, compileCache, isCacheOff, newest } = parts;
  yield ok('version', `syncer ${version} on Node ${nodeVersion}`);
  const loads = async () => loadNative().then(() => ok('native', 'calls of the C library work'));
  yield await trying('native', loads, ({ message }) => {
    const text = `mounts and some times of files do not work: ${message}`;
    return failed('native', `${text}; ${AGAIN}`);
  });
  const starts = async () => askThread().then(() => ok('threads', 'threads start'));
  yield await trying('threads', starts, ({ message }) =>
    failed('threads', `no thread starts, which hashes need: ${message}`, 'ulimit -u'),
  );
  yield compileCache === undefined
    ? warning(
        'compile-cache',
        'off: every start compiles the program',
        isCacheOff ? 'unset NODE_DISABLE_COMPILE_CACHE' : 'mkdir -p ~/.cache/syncer',
      )
    : ok('compile-cache', compileCache);
  const check = 'newest-version';
  if (newest === undefined) return;
  yield await trying(check, async () => {
    const found = await newest();
    if (found === undefined) return unknown(check, 'the registry has no release of syncer');
    if (found.localeCompare(version, 'en', { numeric: true }) <= 0)
      return ok(check, `${version} is the newest version`);
    return warning(check, `${found} is newer than ${version}; ${AGAIN}`);
  });
}

/** The checks of the databases in the state and the cache directory. */
export async function* stateChecks(
  state: string | undefined,
  cache: string | undefined,
): AsyncGenerator<CheckResult> {
  if (state !== undefined) yield await check('state-db', state, STATE, () => mendState(state));
  const mendCache = async (dir: string) =>
    `the next run begins a new one; the damaged one is ${putAside(join(dir, CACHE.file))}`;
  if (cache !== undefined) yield await check('cache-db', cache, CACHE, () => mendCache(cache));
}

async function check(
  name: string,
  dir: string,
  schema: Schema,
  mend: () => Promise<string>,
): Promise<CheckResult> {
  const path = join(dir, schema.file);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (!isThere(path) && (schema !== STATE || !hadState(path))) {
    return ok(name, `${path}, created when needed`);
  }
  const bad = (text: string) => ({ ...failed(name, text, 'syncer doctor --fix'), fix: mend });
  try {
    const fault = await faultOf(dir, schema);
    return fault === undefined
      ? ok(name, `${path}, ${formatSizeUnit(bytes ?? 0)}`)
      : bad(`${schema.title} is damaged: ${path}: ${fault}`);
  } catch (thrown) {
    const { message, advice } = toSyncerError(thrown);
    if (thrown instanceof DamagedDatabase) return bad(message);
    if (hasCode(thrown, 'locked')) return warning(name, message, 'syncer ps');
    return failed(name, advice === undefined ? message : `${message}; ${advice}`);
  }
}

async function mendState(dir: string): Promise<string> {
  const { aside, copiedMs } = await restoreState(dir);
  const isCopyBad = aside.some((path) => path.includes('.copy.'));
  const done =
    copiedMs === undefined
      ? `began a new one: ${isCopyBad ? 'its copy is damaged, too' : 'there is no copy'}`
      : `restored the copy of ${new Date(copiedMs).toISOString().replace(/\..*/, 'Z')}: what guards and the history knew since then is lost`;
  const where = aside.length === 0 ? '' : `; what was damaged is ${aside.join(' and ')}`;
  return `${done}; run bisync with --resync, which deletes nothing${where}`;
}

/** Where interrupted runs may have left files. */
export interface LeftoverPlaces {
  /** `undefined`: in memory only. */
  readonly config: string | undefined;
  /** Names of the remotes of the configuration. */
  readonly remotes: ReadonlySet<string>;
  readonly state: string | undefined;
  readonly list: RunList;
}

/** Temporary files of ended processes, and logins of deleted remotes. */
export async function* leftoverChecks(places: LeftoverPlaces): AsyncGenerator<CheckResult> {
  const { config, state } = places;
  // What interrupted changes of the configuration and of the state have left.
  const ofConfig = config === undefined ? [] : leftFiles(dirname(config));
  const isOfConfig = (path: string) => basename(path).startsWith(`.${basename(config ?? '')}.`);
  const ofState = state === undefined ? [] : leftFiles(state);
  const left = [...new Set([...ofConfig.filter(isOfConfig), ...ofState])].sort();
  yield deleted('leftovers', 'temporary files of interrupted runs', left);
  yield await deadRuns(places.list);
  yield deleted('old-logins', 'logins of remotes that no longer exist', await logins(places));
}

function deleted(check: string, what: string, paths: readonly string[]): CheckResult {
  if (paths.length === 0) return ok(check, 'none');
  const fix = async () => {
    for (const path of paths) await rm(path, { force: true });
    return `deleted ${paths.length}`;
  };
  const mend = ['rm', ...paths.map(shellWord)].join(' ');
  return { ...warning(check, `${paths.length} ${what}`, mend), fix };
}

async function deadRuns(list: RunList): Promise<CheckResult> {
  const check = 'dead-runs';
  const found = await deadEntries(list).catch(toSyncerError);
  if (found instanceof SyncerError) return failed(check, found.message);
  const { length } = found;
  if (length === 0) return ok(check, 'none');
  const fix = async () => {
    await listEntries(list);
    return `deleted ${length}`;
  };
  const text = `${counted(length, 'run')} in the list of runs in progress whose process is gone`;
  return { ...warning(check, text, 'syncer ps'), fix };
}

/** See `TokenStore`; an encrypted one does not show whose it is. */
async function logins({ state, config, remotes }: LeftoverPlaces): Promise<readonly string[]> {
  if (state === undefined || config === undefined) return [];
  const found: string[] = [];
  const folder = join(state, 'tokens');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort()) {
    const path = join(folder, name);
    if (!path.endsWith('.json')) continue;
    try {
      const stored = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
      const isGone = !remotes.has(String(stored['remote']));
      if (stored['config'] === config && isGone) found.push(path);
    } catch {
      // Not a login in plain text.
    }
  }
  return found;
}

const RESUMED = 'the next run of the same command resumes it';

/**
 * Uploads and downloads of ended processes, with what the service or the disk keeps of them; `remoteOf`: the name of the
 * remote with this `storeId`, `undefined` if none of the configuration has it.
 */
export async function* unfinishedChecks(
  { uploads, downloads }: Partial<Record<'uploads' | 'downloads', UploadRecordsAccess | undefined>>,
  remoteOf: (store: string) => Promise<string | undefined>,
): AsyncGenerator<CheckResult> {
  const check = 'unfinished-transfers';
  let isOk = true;
  for (const record of await left(uploads)) {
    isOk = false;
    const { store, path } = record.head;
    const name = await remoteOf(store);
    if (name === undefined) {
      yield warning(check, `${storedOf(record)} for ${path} of a remote that is not configured`);
      continue;
    }
    const place = `${name}:${path}`;
    const mend = `syncer uploads abort ${shellWord(place)}`;
    yield warning(check, `${storedOf(record)} for ${place}: ${RESUMED}`, mend);
  }
  for (const record of await left(downloads)) {
    isOk = false;
    const { id, path } = record.head;
    yield warning(check, `${storedOf(record)} for ${path}: ${RESUMED}`, `rm ${shellWord(id)}`);
  }
  if (isOk) yield ok(check, 'none');
}

async function left(access: UploadRecordsAccess | undefined): Promise<readonly ListedRecord[]> {
  const records = await access?.open();
  return ((await records?.list()) ?? []).filter(({ isRunning }) => !isRunning);
}

function storedOf({ head, parts }: ListedRecord): string {
  const stored = parts.reduce((sum, { size }) => sum + size, 0);
  return `${formatSizeUnit(stored)} of ${formatSizeUnit(head.size)} are kept`;
}
