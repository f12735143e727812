import { constants } from 'node:fs';
import {
  access,
  type FileHandle,
  link,
  lstat,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { userText } from '../../src/core/name-bytes.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import { TEST_ANSWER } from '../files/installed-files.ts';
import { STRAY } from '../layout.ts';
import { insideRoot } from '../machine/inside-root.ts';
import {
  type ArchiveSource,
  checksumOf,
  downloadArchive,
  publishedChecksum,
  testConnection,
  verifyChecksum,
} from '../release/download-archive.ts';
import { unpackProgram } from '../release/unpack-program.ts';
import type { ServiceState } from '../services/systemctl.ts';
import { onFile } from './file-error.ts';
import type { InstallStep, JobState, Undo, World } from './job.ts';
import { makeParents } from './make-files.ts';

/** Programs that take a socket from systemd know this variable (sd_listen_fds(3)). */
const SOCKET_MARK = 'LISTEN_FDS';

interface PlacedProgram {
  readonly path: string;
  /** The program's name inside the archive; or the program itself, a file of the running system. */
  readonly from: { readonly entry: string } | { readonly file: string };
  readonly elfMachine: number;
  /** Whether a program that is there is replaced, or makes the step fail. */
  readonly replaces: boolean;
}

/** Unpacks the program beside its place, looks at it, and moves it there whole. */
export const placeProgram = (program: PlacedProgram): InstallStep => ({
  text: `${program.replaces ? 'replace' : 'install'} the program ${program.path}${'file' in program.from ? ` from ${program.from.file}` : ''}`,
  run: (world, state, undo) => putProgram(program, world, state, undo),
});

async function putProgram(
  { path, from, elfMachine, replaces }: PlacedProgram,
  world: World,
  state: JobState,
  undo: Undo,
): Promise<void> {
  const target = await insideRoot(world.options.root, path);
  await makeParents(target, undo);
  const folder = dirname(target);
  await removeStrays(folder);
  const fresh = join(folder, `.webhook-installer-${process.pid}.new`);
  try {
    await onFile('write', path, async () => {
      const file = await open(fresh, 'wx', 0o755);
      try {
        const look = new ProgramLook();
        const take = async (chunk: Buffer) => {
          world.signal.throwIfAborted();
          look.see(chunk);
          await writeAll(file, chunk);
        };
        if ('entry' in from)
          await unpackProgram(state.archive ?? Buffer.alloc(0), from.entry, take);
        else await takeProgram(from.file, world.options.root, take);
        if ('entry' in from) look.mustRunOn(elfMachine, 'bad archive: it contains');
        else if (!look.isScript) look.mustRunOn(elfMachine, `${from.file} is`);
        state.takesSocket = look.takesSocket;
        await file.chmod(0o755);
        await file.sync();
      } finally {
        await file.close();
      }
    });
    const back: Undo = (what, putBack) =>
      undo(what, async () => {
        await putBack();
        if (state.restarted !== undefined) await world.services.restart(state.restarted);
      });
    await onFile('install', path, () =>
      replaces ? replace(fresh, target, path, back) : place(fresh, target, path, undo),
    );
  } finally {
    await rm(fresh, { force: true });
  }
}

/**
 * Passes on a program of the running system. One of an npm package is a file among others that need Node: then that is
 * a script that starts it where it is.
 */
async function takeProgram(
  file: string,
  root: string,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const path = await onFile('read', file, () => realpath(file));
  if (!path.endsWith('.js')) {
    for await (const chunk of await onFile('read', file, () => openForRead(path)))
      await take(chunk);
    return;
  }
  if (root !== '/') {
    const why =
      'it needs the Node and the files of this system: install an executable of a release';
    throw new SyncerError('unsupported', `${file} cannot be installed into ${root}: ${why}`);
  }
  const words = [process.execPath, path].map(shellWord).join(' ');
  await take(Buffer.from(`#!/bin/sh\n# ${SOCKET_MARK} is passed on.\nexec ${words} "$@"\n`));
}

async function openForRead(path: string): Promise<AsyncIterable<Buffer>> {
  const handle = await open(path, 'r');
  return handle.createReadStream();
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

/** A link fails where something is there; a rename would overwrite it. */
async function place(fresh: string, target: string, path: string, undo: Undo): Promise<void> {
  await link(fresh, target);
  undo(`deleted ${path}`, () => rm(target, { force: true }));
}

/** The old program stays under another name until everything has worked. */
async function replace(fresh: string, target: string, path: string, undo: Undo): Promise<void> {
  const old = join(dirname(target), `.webhook-installer-${process.pid}.old`);
  await access(target, constants.F_OK);
  await rm(old, { force: true });
  await link(target, old);
  undo(`restored the old ${path}`, () => rename(old, target));
  await rename(fresh, target);
}

/** Removes what a run that was killed has left, once its process is gone. */
async function removeStrays(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = STRAY.exec(name)?.[1];
    if (pid === undefined) continue;
    const isAlive =
      pid !== `${process.pid}` && (await lstat(`/proc/${pid}`).catch(() => undefined));
    if (!isAlive) await rm(join(folder, basename(name)), { force: true });
  }
}

/** Removes what was kept for the way back. */
export const tidy = (folder: string): InstallStep => ({
  text: 'remove the old program',
  run: async ({ options }) => removeStrays(await insideRoot(options.root, `${folder}/.`)),
});

/** Looks at a program while it passes. */
class ProgramLook {
  takesSocket = false;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);

  see(chunk: Buffer): void {
    if (this.#head.length < 20) this.#head = Buffer.concat([this.#head, chunk.subarray(0, 20)]);
    if (!this.takesSocket) {
      const seam = Buffer.concat([this.#tail, chunk.subarray(0, SOCKET_MARK.length)]);
      this.takesSocket = seam.includes(SOCKET_MARK) || chunk.includes(SOCKET_MARK);
      this.#tail = Buffer.from(chunk.subarray(-SOCKET_MARK.length));
    }
  }

  /** It begins as a script. */
  get isScript(): boolean {
    return this.#head.toString('latin1', 0, 3) === '#!/';
  }

  /**
   * Throws `corrupted` where it is no 64-bit program for Linux on this architecture (`e_machine` of ELF).
   *
   * @param what the beginning of the error
   */
  mustRunOn(elfMachine: number, what: string): void {
    const head = this.#head;
    const isElf = head.length >= 20 && head.toString('latin1', 0, 5) === '\x7fELF\x02';
    if (isElf && head.readUInt16LE(18) === elfMachine) return;
    const why = isElf ? 'a program for another architecture' : 'no program for Linux';
    throw new SyncerError('corrupted', `${what} ${why}`);
  }
}

const SERVICE = 'webhook.service';

/** Between two tries, in milliseconds. */
const PAUSE_MS = 100;

/** A single request may take so long, in milliseconds. */
const ANSWER_MS = 5000;

/**
 * Calls the hook until it answers, the service fails, or it takes too long; resolves to the answer. Without a token only
 * that the server answers counts.
 */
export const callTestHook = (port: number, token: string | undefined): InstallStep => ({
  text: token === undefined ? 'call the server' : 'call the test hook',
  run: (world) => callHook(port, token, world),
});

async function callHook(port: number, token: string | undefined, world: World): Promise<string> {
  const { clock, options, signal, services } = world;
  const end = clock.monotonic() + options.timeouts.startMs;
  const query = token === undefined ? '' : `hooks/test?token=${encodeURIComponent(token)}`;
  for (;;) {
    const answer = await get(`http://127.0.0.1:${port}/${query}`, signal);
    if (answer !== undefined) return judged(answer, token);
    const state = await services.state(SERVICE);
    const isLate = clock.monotonic() > end;
    // Between a failure and the next try systemd says "activating", before the first start it says so too.
    if (state === 'failed' || isLate) throw await notStarted(world, state, isLate);
    await clock.sleep(PAUSE_MS, signal);
  }
}

/** The body of the response; `undefined` without one. */
async function get(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    return await (await fetch(url, { signal: limit, redirect: 'manual' })).text();
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function judged(answer: string, token: string | undefined): string {
  if (token === undefined) return 'it responds';
  if (answer === TEST_ANSWER) return answer.trim();
  const text = answer.trim().slice(0, 100);
  throw new SyncerError(
    'bad-answer',
    `the test hook returned "${text}" instead of "test success!"`,
  );
}

async function notStarted(
  { options }: World,
  state: ServiceState,
  isLate: boolean,
): Promise<SyncerError> {
  const waited = isLate ? ` within ${options.timeouts.startMs / 1000} s` : '';
  return new SyncerError(
    'other',
    `the service does not respond${waited}: systemd says it is ${state}; journalctl -u ${SERVICE} shows why`,
  );
}

/** Whether the release host answers decides which way the archive is fetched. */
export const testTheConnection = (source: ArchiveSource): InstallStep => ({
  text: `test the connection to ${new URL(source.url).host}`,
  async run({ options, releases, signal }, state) {
    const route = await testConnection(releases, source, options.timeouts.testMs, signal);
    state.prefix = route.prefix;
    return route.why;
  },
});

/** Fetches the archive, with progress. */
export const download = (source: ArchiveSource): InstallStep => ({
  text: `download ${source.url}`,
  async run({ releases, emit, signal }, state) {
    const onProgress = (done: number, total: number | undefined) =>
      emit({ kind: 'progress', done, total });
    const url = `${state.prefix}${source.url}`;
    state.archive = await downloadArchive(releases, url, onProgress, signal);
    state.sums = { url: `${state.prefix}${source.sumsUrl}`, name: source.name };
    return formatSizeUnit(state.archive.length);
  },
});

/** Reads an archive that is here already, and the checksums beside it where there are some. */
export const readArchive = (file: string): InstallStep => ({
  text: `read ${file}`,
  async run(_world, state) {
    state.archive = await onFile('read', file, () => readFile(file));
    return formatSizeUnit(state.archive.length);
  },
});

/** How the result of a step begins that verified nothing. */
export const NOT_VERIFIED = 'not verified';

/** Compares the archive with the checksum that the user, the host, or a list beside the file names. */
export const verify = (sha256: string | undefined): InstallStep => ({
  text: 'verify the archive',
  async run({ releases, signal, options }, { archive = Buffer.alloc(0), sums }) {
    let expected = sha256;
    if (expected === undefined && sums !== undefined) {
      expected = await publishedChecksum(releases, sums.url, sums.name, signal);
    } else if (expected === undefined && options.archive !== undefined) {
      expected = await checksumBeside(options.archive);
    }
    if (expected === undefined)
      return `${NOT_VERIFIED}: no checksum is published; set one with --sha256`;
    verifyChecksum(archive, expected);
    return `SHA-256 matches: ${expected}`;
  },
});

/** Reloads systemd's units; undoing the change of the units undoes this as well. */
export const RELOAD: InstallStep = {
  text: 'reload the service manager',
  run: ({ services }) => services.reload(),
};

/** Which units are started or enabled. */
interface UnitChoice {
  readonly units: readonly string[];
  /** Comes first where the program takes a socket from systemd. */
  readonly socket?: string;
}

/** Starts units; what was started is stopped again on the way back, even where the start failed half-way. */
export const start = (choice: UnitChoice): InstallStep => ({
  text: `start ${choice.units.join(', ')}`,
  async run({ services, options }, state, undo) {
    const units = chosen(choice, state.takesSocket);
    for (const unit of units) {
      const [loaded, written] = [await services.fileOf(unit), join(options.unitDir, unit)];
      if (await isSameFile(loaded, written)) continue;
      const why = loaded === '' ? 'does not load it' : `loads ${loaded} instead`;
      throw new SyncerError('other', `${written} has no effect: systemd ${why}`);
    }
    undo(`stopped ${units.join(', ')}`, () => services.stop(units));
    await services.start(units);
  },
});

/** systemd may name it by the other one of /lib and /usr/lib. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [a, b].map((path) => realpath(path).catch(() => undefined)),
  );
  return first !== undefined && first === second;
}

/** Enables units at boot. */
export const enable = (choice: UnitChoice): InstallStep => ({
  text: `enable ${choice.units.join(', ')}`,
  async run({ services }, state, undo) {
    const units = chosen(choice, state.takesSocket);
    undo(`disabled ${units.join(', ')}`, () => services.disable(units));
    await services.enable(units);
  },
});

/** Restarts a unit with its new program; the way back comes with that of the program. */
export const restart = (unit: string): InstallStep => ({
  text: `restart ${unit}`,
  run({ services }, state) {
    state.restarted = unit;
    return services.restart(unit);
  },
});

/** Stops units. */
export const stop = (units: readonly string[]): InstallStep => ({
  text: `stop ${units.join(', ')}`,
  run: ({ services }) => services.stop(units),
});

/** Units that are disabled do not start at boot. */
export const disable = (units: readonly string[]): InstallStep => ({
  text: `disable ${units.join(', ')}`,
  run: ({ services }) => services.disable(units),
});

/** Deletes a file, a link, or a folder with all that is in it. */
export const deleteItem = (what: string, path: string): InstallStep => ({
  text: `delete ${what} ${path}`,
  path,
  async run({ options }) {
    const target = await insideRoot(options.root, path);
    await onFile('delete', path, () => rm(target, { recursive: true, force: true }));
  },
});

/** Renames a directory, or a file without replacing another: `rename` would. `files`: those of the user. */
export const keep = (
  what: string,
  path: string,
  as: string,
  files: readonly string[],
): InstallStep => ({
  text: `keep ${what} ${path} as ${as}${files.length === 0 ? '' : `, with your files: ${files.join(', ')}`}`,
  path,
  async run({ options }) {
    const target = await insideRoot(options.root, path);
    const to = await insideRoot(options.root, as);
    if ((await onFile('rename', path, () => lstat(target))).isDirectory()) {
      await onFile('rename', path, () => rename(target, to));
      return;
    }
    await onFile('rename', path, () => link(target, to));
    await onFile('rename', path, () => rm(target));
  },
});

/** Something that was changed, and how to change it back. */
interface Change {
  readonly what: string;
  readonly back: () => Promise<void>;
}

/**
 * Does the steps in their order. When one fails, or the signal is aborted, everything that was changed is changed back,
 * last things first, whatever happens; then it rejects with the failure.
 */
export async function applySteps(steps: readonly InstallStep[], world: World): Promise<void> {
  const state: JobState = { prefix: '', takesSocket: false };
  const changes: Change[] = [];
  try {
    for (const [index, step] of steps.entries()) {
      await doStep(step, index, world, state, (what, back) => changes.push({ what, back }));
    }
  } catch (thrown) {
    await undoAll(changes, world);
    throw toSyncerError(thrown);
  }
}

/**
 * Does each step even where others fail, for what is not undone but ended: resolves to the failures. Stops early only
 * when the signal is aborted.
 */
export async function applyEach(
  steps: readonly InstallStep[],
  world: World,
): Promise<readonly SyncerError[]> {
  const state: JobState = { prefix: '', takesSocket: false };
  const failures: SyncerError[] = [];
  for (const [index, step] of steps.entries()) {
    world.signal.throwIfAborted();
    await doStep(step, index, world, state, () => {}).catch((thrown: unknown) => {
      failures.push(toSyncerError(thrown));
    });
  }
  return failures;
}

async function doStep(
  step: InstallStep,
  index: number,
  world: World,
  state: JobState,
  undo: Undo,
): Promise<void> {
  world.emit({ kind: 'step-begun', step, index });
  try {
    world.signal.throwIfAborted();
    const result = (await step.run(world, state, undo)) ?? '';
    world.emit({ kind: 'step-done', step, index, result });
  } catch (thrown) {
    world.emit({ kind: 'step-failed', step, index });
    throw thrown;
  }
}

async function undoAll(changes: readonly Change[], { emit }: World): Promise<void> {
  if (changes.length === 0) return;
  emit({ kind: 'undo-begun' });
  for (const { what, back } of changes.toReversed()) {
    const text = await back().then(
      () => what,
      (error: unknown) => `${what}: FAILED: ${toSyncerError(error).message}`,
    );
    emit({ kind: 'undone', text });
  }
}

function chosen({ units, socket }: UnitChoice, takesSocket: boolean): readonly string[] {
  return takesSocket && socket !== undefined ? [socket, ...units] : units;
}

async function checksumBeside(file: string): Promise<string | undefined> {
  const list = await readFile(join(dirname(file), 'SHA256SUMS')).catch(() => undefined);
  return list === undefined ? undefined : checksumOf(userText(list), basename(file));
}
