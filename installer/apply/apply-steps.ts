import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { userText } from '../../src/core/name-bytes.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import { insideRoot } from '../machine/inside-root.ts';
import { type NewFile, STRAY, TEST_ANSWER } from '../machine/installed-files.ts';
import type { InstallerOptions } from '../read-options.ts';
import {
  checksumOf,
  downloadArchive,
  publishedChecksum,
  testConnection,
} from '../release/download-archive.ts';
import { unpackProgram } from '../release/unpack-program.ts';
import { onFile } from './file-error.ts';
import type { InstallStep, JobState, Undo, World } from './job.ts';

/** Programs that take a socket from systemd know this variable (sd_listen_fds(3)). */
const SOCKET_MARK = 'LISTEN_FDS';

/**
 * Unpacks the program beside its place, looks at it, and moves it there whole.
 *
 * @param from the program's name inside the archive; or the program itself, a file of the running system
 * @param replaces whether a program that is there is replaced, or makes the step fail
 */
export const placeProgram = (
  path: string,
  from: { readonly entry: string } | { readonly file: string },
  elfMachine: number,
  replaces: boolean,
): InstallStep => ({
  text: `${replaces ? 'replace' : 'install'} the program ${path}${'file' in from ? ` from ${from.file}` : ''}`,
  async run({ options: { root }, signal, services }, state, undo) {
    const target = await insideRoot(root, path);
    await makeParents(target, undo);
    const folder = dirname(target);
    await removeStrays(folder);
    const fresh = join(folder, `.webhook-installer-${process.pid}.new`);
    try {
      await onFile('write', path, async () => {
        const file = await open(fresh, 'wx', 0o755);
        try {
          let head = Buffer.alloc(0);
          let tail = Buffer.alloc(0);
          const take = async (chunk: Buffer) => {
            signal.throwIfAborted();
            if (head.length < 20) head = Buffer.concat([head, chunk.subarray(0, 20)]);
            if (!state.takesSocket) {
              const seen = Buffer.concat([tail, chunk]);
              state.takesSocket = seen.includes(SOCKET_MARK);
              tail = Buffer.from(seen.subarray(-SOCKET_MARK.length));
            }
            for (let at = 0; at < chunk.length; ) {
              at += (await file.write(chunk, at)).bytesWritten;
            }
          };
          if ('entry' in from) {
            await unpackProgram(state.archive ?? Buffer.alloc(0), from.entry, take);
            mustRunOn(elfMachine, head, 'bad archive: it contains');
          } else {
            await takeProgram(from.file, root, take);
            const isScript = head.toString('latin1', 0, 3) === '#!/';
            if (!isScript) mustRunOn(elfMachine, head, `${from.file} is`);
          }
          await file.chmod(0o755);
          await file.sync();
        } finally {
          await file.close();
        }
      });
      await onFile('install', path, async () => {
        if (!replaces) {
          // A link fails where something is there; a rename would overwrite it.
          await link(fresh, target);
          undo(`deleted ${path}`, () => rm(target, { force: true }));
          return;
        }
        // The old program stays under another name until everything has worked.
        const old = join(folder, `.webhook-installer-${process.pid}.old`);
        await access(target, constants.F_OK);
        await rm(old, { force: true });
        await link(target, old);
        undo(`restored the old ${path}`, async () => {
          await rename(old, target);
          if (state.restarted !== undefined) await services.restart(state.restarted);
        });
        await rename(fresh, target);
      });
    } finally {
      await rm(fresh, { force: true });
    }
  },
});

/** Passes on a program of this system; of one in an npm package, which needs Node, a script that starts it. */
async function takeProgram(file: string, root: string, take: (chunk: Buffer) => Promise<void>) {
  const path = await onFile('read', file, () => realpath(file));
  if (!path.endsWith('.js')) {
    const handle = await onFile('read', file, () => open(path, 'r'));
    for await (const chunk of handle.createReadStream()) await take(chunk);
    return;
  }
  if (root !== '/') {
    const why =
      'it needs the Node and the files of this system: install an executable of a release';
    throw new SyncerError('unsupported', `${file} cannot be installed into ${root}: ${why}`);
  }
  // Without the flag SIGUSR1 opens Node's debugger until the server listens for it.
  const words = [process.execPath, '--disable-sigusr1', path].map(shellWord).join(' ');
  await take(Buffer.from(`#!/bin/sh\n# ${SOCKET_MARK} is passed on.\nexec ${words} "$@"\n`));
}

/** Throws `corrupted` where a head is none of a 64-bit program for Linux on this architecture (`e_machine` of ELF). */
function mustRunOn(elfMachine: number, head: Buffer, what: string): void {
  const isElf = head.length >= 20 && head.toString('latin1', 0, 5) === '\x7fELF\x02';
  if (isElf && head.readUInt16LE(18) === elfMachine) return;
  const why = isElf ? 'a program for another architecture' : 'no program for Linux';
  throw new SyncerError('corrupted', `${what} ${why}`);
}

/** Removes what a run that was killed has left, once its process is gone. */
export async function removeStrays(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = STRAY.exec(name)?.[1];
    if (pid === undefined) continue;
    const isAlive =
      pid !== `${process.pid}` && (await lstat(`/proc/${pid}`).catch(() => undefined));
    if (!isAlive) await rm(join(folder, name), { force: true });
  }
}

const SERVICE = 'webhook.service';

/** Calls the hook, or the server if there is no token, until it answers, the service fails, or it takes too long. */
export const callTestHook = (port: number, token: string | undefined): InstallStep => ({
  text: token === undefined ? 'call the server' : 'call the test hook',
  async run({ clock, options, signal, services }) {
    const end = clock.monotonic() + options.timeouts.startMs;
    const query = token === undefined ? '' : `hooks/test?token=${encodeURIComponent(token)}`;
    for (;;) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
      const how = { signal: limit, redirect: 'manual' } as const;
      const answer = await fetch(`http://127.0.0.1:${port}/${query}`, how)
        .then((got) => got.text())
        .catch(() => signal.throwIfAborted());
      if (answer !== undefined) {
        if (token === undefined) return 'it responds';
        const text = answer.trim();
        if (answer === TEST_ANSWER) return text;
        const why = `the test hook returned "${text.slice(0, 100)}" instead of "test success!"`;
        throw new SyncerError('bad-answer', why);
      }
      const state = await services.state(SERVICE);
      const isLate = clock.monotonic() > end;
      // Between a failure and the next try systemd says "activating", before the first start it says so too.
      if (state === 'failed' || isLate) {
        const waited = isLate ? ` within ${options.timeouts.startMs / 1000} s` : '';
        throw new SyncerError(
          'other',
          `the service does not respond${waited}: systemd says it is ${state}; journalctl -u ${SERVICE} shows why`,
        );
      }
      await clock.sleep(100, signal);
    }
  },
});

/** How the result of a step begins that verified nothing. */
export const NOT_VERIFIED = 'not verified';

/** The steps that bring the archive here and compare it with its checksum, if any. None for a program. */
export function archiveSteps(
  { source, archive: file, releaseUrl, mirrorUrl, version, sha256 }: InstallerOptions,
  architecture: string,
): readonly InstallStep[] {
  if (source !== undefined) return [];
  const name = `webhook-linux-${architecture}.tar.gz`;
  const folder = `${releaseUrl}/${version}`;
  const url = `${folder}/${name}`;
  const verify: InstallStep = {
    text: 'verify the archive',
    async run({ releases, signal }, { archive = Buffer.alloc(0), prefix }) {
      let expected = sha256;
      if (expected === undefined && file === undefined) {
        const sums = `${prefix}${folder}/SHA256SUMS`;
        expected = await publishedChecksum(releases, sums, name, signal);
      } else if (expected === undefined && file !== undefined) {
        const list = join(dirname(file), 'SHA256SUMS');
        const text = await readFile(list).then(userText, () => undefined);
        expected = text === undefined ? undefined : checksumOf(text, basename(file));
      }
      if (expected === undefined)
        return `${NOT_VERIFIED}: no checksum is published; set one with --sha256`;
      const actual = createHash('sha256').update(archive).digest('hex');
      if (actual === expected) return `SHA-256 matches: ${expected}`;
      const why = `its SHA-256 is ${actual}, expected ${expected}`;
      throw new SyncerError('corrupted', `the archive does not match its checksum: ${why}`);
    },
  };
  if (file !== undefined) {
    const read: InstallStep = {
      text: `read ${file}`,
      async run(_world, state) {
        state.archive = await onFile('read', file, () => readFile(file));
        return formatSizeUnit(state.archive.length);
      },
    };
    return [read, verify];
  }
  return [
    {
      text: `test the connection to ${new URL(url).host}`,
      async run({ options, releases, signal }, state) {
        const { testMs } = options.timeouts;
        const route = await testConnection(releases, url, mirrorUrl, testMs, signal);
        state.prefix = route.prefix;
        return route.why;
      },
    },
    {
      text: `download ${url}`,
      async run({ releases, emit, signal }, state) {
        const tell = (done: number, total?: number) => emit({ kind: 'progress', done, total });
        state.archive = await downloadArchive(releases, `${state.prefix}${url}`, tell, signal);
        return formatSizeUnit(state.archive.length);
      },
    },
    verify,
  ];
}

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

const chosen = ({ units, socket }: UnitChoice, takesSocket: boolean) =>
  takesSocket && socket !== undefined ? [socket, ...units] : units;

/** Starts units; what was started is stopped again on the way back, even where the start failed half-way. */
export const start = (choice: UnitChoice): InstallStep => ({
  text: `start ${choice.units.join(', ')}`,
  async run({ services, options }, state, undo) {
    const units = chosen(choice, state.takesSocket);
    for (const unit of units) {
      const [loaded, written] = [await services.fileOf(unit), join(options.unitDir, unit)];
      // systemd may name it by the other one of /lib and /usr/lib.
      const paths = [loaded, written].map((path) => realpath(path).catch(() => undefined));
      const [first, second] = await Promise.all(paths);
      if (first !== undefined && first === second) continue;
      const why = loaded === '' ? 'does not load it' : `loads ${loaded} instead`;
      throw new SyncerError('other', `${written} has no effect: systemd ${why}`);
    }
    undo(`stopped ${units.join(', ')}`, () => services.stop(units));
    await services.start(units);
  },
});

/** Enables units at boot. */
export const enable = (choice: UnitChoice): InstallStep => ({
  text: `enable ${choice.units.join(', ')}`,
  async run({ services }, state, undo) {
    const units = chosen(choice, state.takesSocket);
    undo(`disabled ${units.join(', ')}`, () => services.disable(units));
    await services.enable(units);
  },
});

/** Stops units, or keeps them from starting at boot. */
export const endUnits = (verb: 'stop' | 'disable', units: readonly string[]): InstallStep => ({
  text: `${verb} ${units.join(', ')}`,
  run: ({ services }) => services[verb](units),
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

/**
 * Does the steps in their order; rejects with what failed.
 *
 * @param allOrNothing when a step fails, or the signal is aborted, everything that was changed is changed back, last
 *   things first, whatever happens; otherwise the other steps are still done, and only the signal stops them
 */
export async function applySteps(
  steps: readonly InstallStep[],
  world: World,
  allOrNothing: boolean,
): Promise<void> {
  const { emit, signal } = world;
  const state: JobState = { prefix: '', takesSocket: false };
  const changes: Parameters<Undo>[] = [];
  const failures: SyncerError[] = [];
  for (const step of steps) {
    if (!allOrNothing) signal.throwIfAborted();
    try {
      emit({ kind: 'step-begun', step });
      signal.throwIfAborted();
      const undo: Undo = (...change) => {
        if (allOrNothing) changes.push(change);
      };
      const result = (await step.run(world, state, undo)) ?? '';
      emit({ kind: 'step-done', step, result });
    } catch (thrown) {
      emit({ kind: 'step-failed', step });
      failures.push(toSyncerError(thrown));
      if (allOrNothing) break;
    }
  }
  const [failure, ...more] = failures;
  if (failure === undefined) return;
  if (changes.length > 0) emit({ kind: 'undo-begun' });
  for (const [what, back] of changes.toReversed()) {
    const text = await back().then(
      () => what,
      (error: unknown) => `${what}: FAILED: ${toSyncerError(error).message}`,
    );
    emit({ kind: 'undone', text });
  }
  if (more.length === 0) throw failure;
  throw new SyncerError(failure.code, failures.map(({ message }) => message).join('; '));
}

/** Makes the folder; fails where it is there already. */
export const makeFolder = (path: string): InstallStep => ({
  text: `create the directory ${path}`,
  async run({ options }, _, undo) {
    const target = await insideRoot(options.root, path);
    await makeParents(target, undo);
    await onFile('make', path, () => mkdir(target));
    undo(`deleted the directory ${path}`, () => rm(target, { recursive: true, force: true }));
  },
});

/** Writes a file that must not be there yet, to the disk, with exactly its permissions. */
export async function writeNewFile(
  { path, content, mode }: NewFile,
  { options, services }: World,
  undo: Undo,
): Promise<void> {
  const target = await insideRoot(options.root, path);
  await makeParents(target, undo);
  await onFile('write', path, async () => {
    const handle = await open(target, 'wx', mode);
    undo(`deleted ${path}`, async () => {
      await rm(target, { force: true });
      const isUnit = path.startsWith(options.unitDir);
      if (isUnit && services.kind === 'running') await services.reload();
    });
    try {
      await handle.writeFile(content);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

/** Makes the folders above a path that are missing; the way back removes those that were made, where they are empty. */
async function makeParents(target: string, undo: Undo): Promise<void> {
  const missing: string[] = [];
  for (let at = dirname(target); at !== dirname(at); at = dirname(at)) {
    if ((await lstat(at).catch(() => undefined)) !== undefined) break;
    missing.unshift(at);
  }
  for (const folder of missing) {
    await onFile('make', folder, () => mkdir(folder, { mode: 0o755 }));
    undo(`deleted the directory ${folder}`, () => rmdir(folder).catch(() => {}));
  }
}
