import { constants } from 'node:fs';
import { access, type FileHandle, link, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import { STRAY } from '../layout.ts';
import { insideRoot } from '../machine/inside-root.ts';
import type { StepOf } from '../plan/step.ts';
import { unpackProgram } from '../release/unpack-program.ts';
import { onFile } from './file-error.ts';
import type { Doer, Undo } from './job.ts';
import { makeParents } from './make-files.ts';

/** Programs that take a socket from systemd know this variable (sd_listen_fds(3)). */
const SOCKET_MARK = 'LISTEN_FDS';

/** Unpacks the program beside its place, looks at it, and moves it there whole. */
export const placeProgram: Doer<StepOf<'place-program'>> = async (step, world, state, undo) => {
  const { path, entry, elfMachine, replaces } = step;
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
        await unpackProgram(state.archive ?? Buffer.alloc(0), entry, async (chunk) => {
          world.signal.throwIfAborted();
          look.see(chunk);
          await writeAll(file, chunk);
        });
        look.mustRunOn(elfMachine);
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
  return '';
};

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
export const tidy: Doer<StepOf<'tidy'>> = async ({ folder }, { options }) => {
  await removeStrays(await insideRoot(options.root, `${folder}/.`));
  return '';
};

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

  /** Throws `corrupted` where it is no 64-bit program for Linux on this architecture (`e_machine` of ELF). */
  mustRunOn(elfMachine: number): void {
    const head = this.#head;
    const isElf = head.length >= 20 && head.toString('latin1', 0, 5) === '\x7fELF\x02';
    if (isElf && head.readUInt16LE(18) === elfMachine) return;
    const why = isElf ? 'a program for another architecture' : 'no program for Linux';
    throw new SyncerError('corrupted', `bad archive: it contains ${why}`);
  }
}
