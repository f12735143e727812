import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import type { FileContents } from '../../../../src/vfs/contents/contents.ts';
import type { FileHandle } from '../../../../src/vfs/contents/file-contents.ts';
import { type FaultPlan, faultyRemote } from '../../../support/faulty-remote.ts';
import { ALL } from '../../../support/in-part.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { ContentsWorld, closeFile, hastyClock, op, READ, UPDATE } from './contents-world.ts';

const LARGEST = 200_000;
/** All in `npm run test:all`. */
const RUNS = Number(process.env['SYNCER_TEST_RUNS'] ?? (ALL ? 25 : 3));
const offset = fc.nat(LARGEST);
const file = fc.nat(1);

/** What a program can do with two files. */
type Step =
  | { do: 'open'; file: number; truncate: boolean }
  | { do: 'write'; file: number; at: number; length: number; byte: number }
  | { do: 'read'; file: number; at: number; length: number }
  | { do: 'truncate'; file: number; size: number }
  | { do: 'close'; file: number }
  | { do: 'closeAll' | 'drain' | 'crash' | 'replace' | 'remove'; file: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open'), file, truncate: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('write'),
      file,
      at: offset,
      length: fc.integer({ min: 1, max: 60_000 }),
      byte: fc.integer({ min: 1, max: 255 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('read'),
      file,
      at: offset,
      length: fc.integer({ min: 1, max: 150_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('truncate'), file, size: offset }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close'), file }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('closeAll', 'drain', 'crash', 'replace', 'remove'),
      file,
    }),
  },
) as fc.Arbitrary<Step>;

/** One file as it must be. */
interface Modelled {
  path: string;
  /** `undefined`: it does not exist. */
  content: Buffer | undefined;
  handles: FileHandle[];
  /** Changed since it was last closed. */
  isLoose: boolean;
}

/** Runs steps against contents and a model at once. */
class Run {
  readonly world = new ContentsWorld();
  readonly files: Modelled[];
  contents: FileContents | undefined;
  readonly #cacheMode: 'writes' | 'full';
  readonly #writeBack: number;
  /** What the files were when they were closed. */
  readonly #closed = new Set<string>();
  /** What reached the remote and was never closed. */
  readonly mixtures: string[] = [];

  constructor(cacheMode: 'writes' | 'full', writeBack: number, faults: readonly number[]) {
    this.#cacheMode = cacheMode;
    this.#writeBack = writeBack;
    const plan: FaultPlan = {
      calls: 0,
      fail: (n) =>
        faults.includes(n % 50) ? new SyncerError('network', 'the network failed') : undefined,
    };
    this.world.clock = hastyClock;
    const { remote } = this.world;
    const watched = remoteBut(remote, {
      write: async (source, at) => {
        const entry = await remote.write(source, at);
        if (!this.#closed.has(entry.hashes?.md5 ?? '')) this.mixtures.push(source.path);
        return entry;
      },
    });
    this.world.remote = faultyRemote(watched, plan);
    this.files = ['a', 'dir/b'].map((path) => {
      return { path, content: undefined, handles: [], isLoose: false };
    });
  }

  async begin(): Promise<void> {
    for (const [i, each] of this.files.entries()) {
      each.content = Buffer.alloc(100_000 * (i + 1), `old ${i} `);
      await this.world.put(each.path, each.content);
    }
    await this.#open();
  }

  async take(each: Step): Promise<void> {
    const it = this.files[each.file];
    if (it === undefined) return;
    const [handle] = it.handles;
    switch (each.do) {
      case 'open': {
        const access = { ...UPDATE, truncate: each.truncate };
        const entry = await this.world.entry(it.path);
        it.handles.push(await this.#mount.open(it.path, entry, access, op));
        if (it.content === undefined || each.truncate) {
          it.isLoose = true;
          it.content = Buffer.alloc(0);
        }
        return;
      }
      case 'write': {
        if (handle === undefined || it.content === undefined) return;
        const bytes = Buffer.alloc(each.length, each.byte);
        it.isLoose = true;
        await handle.write(each.at, bytes, op);
        it.content = resized(it.content, Math.max(it.content.length, each.at + each.length));
        bytes.copy(it.content, each.at);
        return;
      }
      case 'read':
        if (handle !== undefined && it.content !== undefined) {
          const bytes = await handle.read(each.at, each.length, op);
          const expected = it.content.subarray(each.at, each.at + each.length);
          expect(Buffer.from(bytes).equals(expected)).toBe(true);
          expect(handle.size()).toBe(it.content.length);
        }
        return;
      case 'truncate':
        if (handle === undefined || it.content === undefined) return;
        it.isLoose = true;
        await handle.truncate(each.size, op);
        it.content = resized(it.content, each.size);
        return;
      case 'close': {
        const last = it.handles.pop();
        this.#note(it);
        if (last !== undefined) await closeFile(last);
        if (last !== undefined) it.isLoose = false;
        return;
      }
      case 'closeAll':
        return this.#closeAll(it);
      case 'drain':
        for (const file of this.files) await this.#closeAll(file);
        await this.#mount.drain(op);
        return this.#compare();
      case 'crash':
        return this.#crash();
      case 'replace': {
        const other = this.files[1 - each.file];
        if (other === undefined || it.content === undefined) return;
        await this.#rename(it, other);
        return;
      }
      case 'remove':
        if (it.content === undefined) return;
        await this.#closeAll(it);
        await this.#remove(it.path);
        it.content = undefined;
    }
  }

  /** What was closed is found again, and nothing half written. */
  async #crash(): Promise<void> {
    this.world.crash();
    const old = this.#mount;
    for (const it of this.files) {
      it.handles = [];
      if (!it.isLoose) continue;
      // What was never closed may be there or not: that file is begun anew.
      it.content = undefined;
    }
    const loose = this.files.filter((it) => it.isLoose);
    const gone = old.close();
    await this.#open();
    await gone;
    await this.#mount.drain(op);
    for (const it of loose) {
      await this.#remove(it.path);
      it.isLoose = false;
    }
    await this.#compare();
  }

  async #compare(): Promise<void> {
    for (const { path, content } of this.files) {
      const found = await this.world.get(path);
      expect(found === undefined ? content === undefined : content?.equals(found)).toBe(true);
    }
  }

  async #rename(from: Modelled, to: Modelled): Promise<void> {
    await this.#closeAll(to);
    const { remote } = this.world;
    const letGo = [await this.#mount.hold(from.path, op), await this.#mount.hold(to.path, op)];
    const entry = await this.world.entry(from.path);
    if (entry !== undefined) await this.world.plain.can.moveFrom?.(remote, entry, to.path, op);
    await this.#mount.renamed(from.path, to.path);
    for (const go of letGo) go();
    Object.assign(to, { content: from.content, handles: from.handles, isLoose: from.isLoose });
    Object.assign(from, { content: undefined, handles: [], isLoose: false });
  }

  async #remove(path: string): Promise<void> {
    const letGo = await this.#mount.hold(path, op);
    const entry = await this.world.entry(path);
    if (entry !== undefined) await deleteOne(this.world.plain, entry, op);
    await this.#mount.removed(path);
    letGo();
  }

  #note({ content }: Modelled): void {
    if (content !== undefined) this.#closed.add(createHash('md5').update(content).digest('hex'));
  }

  async #closeAll(it: Modelled): Promise<void> {
    this.#note(it);
    for (const handle of it.handles.splice(0)) await closeFile(handle);
    it.isLoose = false;
  }

  async #open(): Promise<void> {
    this.contents = await this.world.open({
      cacheMode: this.#cacheMode,
      writeBack: this.#writeBack,
      readChunkSize: 16_000,
      cachePollInterval: 0,
      lowLevelRetries: 50,
    });
  }

  get #mount(): FileContents {
    if (this.contents === undefined) throw new Error('not begun');
    return this.contents;
  }
}

function resized(content: Buffer, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  content.copy(bytes, 0, 0, size);
  return bytes;
}

test.each(['writes', 'full'] as const)(
  '%s: whatever programs do, they find what they wrote, and so does the remote',
  async (cacheMode) => {
    const faults = fc.uniqueArray(fc.nat(49), { maxLength: 12 });
    const steps = fc.array(step, { maxLength: 40 });
    // Uploads wait for the end, or run in the midst of all.
    const writeBack = fc.constantFrom(3_600_000, 0);
    await fc.assert(
      fc.asyncProperty(steps, writeBack, faults, async (taken, wait, fail) => {
        const run = new Run(cacheMode, wait, fail);
        await run.begin();
        for (const each of taken) {
          await run.take(each);
          // Now and then uploads come further meanwhile.
          if (each.file === 1) await new Promise((resolve) => setImmediate(resolve));
        }
        await run.take({ do: 'drain', file: 0 });
        expect(run.mixtures).toEqual([]);
        await run.contents?.close();
      }),
      { numRuns: RUNS },
    );
  },
);

test.each(['off', 'minimal', 'writes', 'full'] as const)(
  '%s: several readers at any places read what the remote has',
  async (cacheMode) => {
    const reads = fc.array(fc.tuple(fc.nat(2), fc.nat(3_000_000), fc.nat(300_000)), {
      maxLength: 30,
    });
    const options = fc.record({
      readChunkSize: fc.constantFrom(0, 64_000, 1_000_000),
      readChunkStreams: fc.constantFrom(0, 4),
      bufferSize: fc.constantFrom(300_000, 16_000_000),
    });
    const faults = fc.uniqueArray(fc.nat(19), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(reads, options, faults, async (places, flags, fail) => {
        const world = new ContentsWorld();
        world.clock = hastyClock;
        const content = Buffer.from(
          Uint32Array.from({ length: 750_000 }, (_, i) => i * 7919).buffer,
        );
        const entry = await world.put('f', content);
        const network = new SyncerError('network', 'the network failed');
        world.remote = faultyRemote(world.remote, {
          calls: 0,
          fail: (n) => (fail.includes(n % 20) ? network : undefined),
        });
        const contents = await world.open({ cacheMode, ...flags, cachePollInterval: 0 });
        const handles = await Promise.all([0, 1, 2].map(() => contents.open('f', entry, READ, op)));
        await Promise.all(
          places.map(async ([who, at, length]) => {
            const bytes = await handles[who]?.read(at, length, op);
            const expected = content.subarray(at, at + length);
            expect(Buffer.from(bytes ?? []).equals(expected)).toBe(true);
          }),
        );
        for (const handle of handles) await closeFile(handle);
        await contents.close();
      }),
      { numRuns: 12 },
    );
  },
);
