import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import { hasCode, SyncerError } from '../../../../src/core/errors.ts';
import type { FileEntry, WriteSource } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import type { CachedFile } from '../../../../src/vfs/contents/cached-file.ts';
import type { FileHandle } from '../../../../src/vfs/contents/file-contents.ts';
import { isChanged } from '../../../../src/vfs/contents/file-state.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { ContentsWorld, op, openParts, UPDATE } from './contents-world.ts';

const RUNS = Number(process.env['SYNCER_TEST_RUNS'] ?? 60);
const SIZE = 40;
/** What a remote does with an upload. */
const RESPONSES = ['arrives', 'arrives unseen', 'fails', 'is cut', 'lies'] as const;
type Response = (typeof RESPONSES)[number];

type Step =
  | { readonly do: 'open'; readonly truncate: boolean }
  | {
      readonly do: 'write';
      readonly offset: number;
      readonly length: number;
      readonly byte: number;
    }
  | { readonly do: 'save'; readonly text: string }
  | { readonly do: 'truncate'; readonly size: number }
  | { readonly do: 'disk'; readonly isFull: boolean }
  | { readonly do: 'respond'; readonly how: Response }
  | { readonly do: 'sync' | 'close' | 'time' | 'due' | 'rename' | 'delete' | 'wait' };

const constant = <T extends string>(...names: T[]) => fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: constant('open'), truncate: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: constant('write'),
      offset: fc.nat(SIZE),
      length: fc.integer({ min: 1, max: SIZE }),
      byte: fc.integer({ min: 97, max: 122 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: constant('save'), text: fc.string({ minLength: 1, maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: constant('truncate'), size: fc.nat(SIZE) }) },
  { weight: 1, arbitrary: fc.record({ do: constant('disk'), isFull: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: constant('respond'), how: constant(...RESPONSES) }) },
  { weight: 5, arbitrary: fc.record({ do: constant('close') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: constant('sync', 'time', 'due', 'due', 'rename', 'delete', 'wait'),
    }),
  },
);

/** An upload that waits for its response. */
interface Pending {
  readonly source: WriteSource;
  /** What it has read; `undefined` if the file was changed under it. */
  readonly bytes: Buffer | undefined;
  readonly signal: AbortSignal;
  readonly response: PromiseWithResolvers<FileEntry>;
}

const PAGE = new URL('../../../../src/vfs/contents/open-files.md', import.meta.url);
/** What the journal may say in each state, by the table of open-files.md. */
const SAID = new Map(
  [...readFileSync(PAGE, 'utf8').matchAll(/^\| (\w+) \| .*? \| (.*?) \|/gm)].map(
    ([, state = '', said = '']) => [state, [...said.matchAll(/`(\w+)`/g)].map(([, word]) => word)],
  ),
);

/** One file of a mount as it must be, and the mount beside it. */
class Model {
  readonly world = new ContentsWorld();
  readonly #parts: ReturnType<typeof openParts>;
  readonly #pending: Pending[] = [];
  readonly #drains: Promise<void>[] = [];
  readonly faults: string[] = [];
  #path = 'f';
  /** The remote's object, as far as the mount was told. */
  #entry: FileEntry | undefined;
  /** What programs read; `undefined`: there is no file. */
  #content: Buffer | undefined;
  /** What a kill may leave: the version that was committed last, or `undefined` for no file. */
  #left: (Buffer | undefined)[] = [undefined];
  /** A truncation of a committed file shortens that version in place: a kill leaves this much of the file. */
  #cutTo: number | undefined;
  /** All that was committed. */
  readonly #versions = new Set<string>();
  #handles: FileHandle[] = [];
  #isFull = false;
  readonly #heeds: boolean;

  /** @param heeds whether the remote ends an upload that is aborted */
  constructor(heeds: boolean, writeBack: number) {
    this.#heeds = heeds;
    const { world } = this;
    const remote = remoteBut(world.remote, {
      write: async (source, { signal }) => {
        const body = await source.open(undefined, op).catch(() => undefined);
        const bytes = body && (await collectBody(body, op.signal));
        const response = Promise.withResolvers<FileEntry>();
        this.#pending.push({ source, bytes, signal, response });
        return response.promise;
      },
    });
    this.#parts = openParts(world, remote, { writeBack });
    const { cache, contents } = this.#parts;
    contents.onUploaded((path, entry) => {
      if (path === this.#path) this.#entry = entry;
    });
    const put = cache.put.bind(cache);
    cache.put = async (record, gone) => {
      if (this.#isFull) throw new SyncerError('no-space', 'the disk is full');
      return put(record, gone);
    };
  }

  async begin(content: Buffer | undefined): Promise<void> {
    if (content === undefined) return;
    this.#entry = await this.world.put(this.#path, content);
    this.#content = content;
    this.#left = [content];
  }

  async take(next: Step): Promise<void> {
    switch (next.do) {
      case 'open':
        return this.#open(next.truncate);
      case 'save':
        await this.#open(false);
        await this.#write(0, Buffer.from(next.text));
        return this.#close(this.#handles.pop());
      case 'write':
        return this.#write(next.offset, Buffer.alloc(next.length, next.byte));
      case 'truncate':
        return this.#truncate(next.size);
      case 'disk':
        this.#isFull = next.isFull;
        return;
      case 'respond':
        return this.#respond(next.how);
      case 'sync': {
        const [handle] = this.#handles;
        if (handle !== undefined && (await this.#unlessFull(() => handle.sync(op))))
          this.#committed();
        return;
      }
      case 'close':
        return this.#close(this.#handles.pop());
      case 'time': {
        if (this.#handles.length > 0) return;
        const { contents } = this.#parts;
        let isSet = false;
        const set = async () => {
          isSet = await contents.setModTime(this.#path, BigInt(this.#versions.size));
        };
        const isDone = await this.#unlessFull(set);
        if (isDone && isSet) this.#committed();
        if (!isDone) this.#left.push(this.#content);
        return;
      }
      case 'due':
        this.#drains.push(this.#parts.contents.drain(op).catch(() => undefined));
        return;
      case 'rename':
        return this.#rename();
      case 'delete':
        return this.#delete();
      case 'wait':
        return this.look();
    }
  }

  /** Everything is closed and uploaded: the remote has what programs wrote, and nothing else. */
  async finish(): Promise<void> {
    this.#isFull = false;
    while (this.#handles.length > 0) await this.#close(this.#handles.pop());
    await this.#during(this.#parts.contents.drain(op));
    await this.look();
    expect(await this.#onRemote()).toEqual({ [this.#path]: this.#content?.toString() });
    const { contents } = this.#parts;
    expect(contents.state()).toMatchObject({ uploadsWaiting: 0, uploadsRunning: 0 });
    await this.#end();
  }

  /** `kill -9`: the next mount finds what was committed, and uploads it. */
  async kill(): Promise<void> {
    const killed = this.world;
    const isCut = this.#cutTo !== undefined && this.#content !== undefined;
    const left = isCut ? [this.#content?.subarray(0, this.#cutTo)] : this.#left;
    killed.crash();
    await this.#during(this.#end(), false);
    const contents = await killed.open({ writeBack: 0 });
    await contents.drain(op);
    const found = await this.#onRemote();
    const may = left.map((each) => ({ [this.#path]: each?.toString() }));
    expect(may).toContainEqual(found);
    await contents.close();
  }

  /** Whether the states of all files are those of the page, and the queue has what they say. */
  async look(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await new Promise(setImmediate);
      const { cache, journal } = this.#parts;
      const files = [...cache.dirty.all()];
      for (const { id, state } of files) {
        const said = journal.records.get(id)?.state;
        const isRight = said === undefined || SAID.get(state.is)?.includes(said) === true;
        if (!isRight) this.faults.push(`${state.is}, but the journal: ${said}`);
      }
      const { waiting, failed, running } = cache.uploads.counts();
      if (files.filter(({ turn }) => turn !== undefined).length !== waiting + failed + running) {
        const states = files.map(({ state }) => state.is).join(' ');
        this.faults.push(`${states}, but the queue: ${waiting} ${failed} ${running}`);
      }
    }
  }

  async #open(truncate: boolean): Promise<void> {
    const file = this.#file;
    const isCut = this.#cuts(file, 0);
    const opening = async () => {
      const access = { ...UPDATE, truncate };
      const { contents } = this.#parts;
      this.#handles.push(await contents.open(this.#path, this.#entry, access, op));
    };
    if (!(await this.#unlessFull(opening))) {
      // Its release has queued what could not be committed.
      if (this.#handles.length === 0) this.#left.push(this.#content);
      return;
    }
    if (truncate && isCut) this.#cutTo = 0;
    if (truncate || this.#content === undefined) this.#content = Buffer.alloc(0);
    const read = await this.#handles.at(-1)?.read(0, 1000, op);
    expect(String(Buffer.from(read ?? []))).toBe(String(this.#content));
  }

  async #write(offset: number, bytes: Buffer): Promise<void> {
    await this.#change(
      (handle) => handle.write(offset, bytes, op),
      (old) => Buffer.concat([resized(old, offset), bytes, old.subarray(offset + bytes.length)]),
    );
  }

  async #truncate(size: number): Promise<void> {
    const isCut = this.#cuts(this.#file, size);
    const isDone = await this.#change(
      (handle) => handle.truncate(size, op),
      (old) => resized(old, size),
    );
    if (isDone && isCut) this.#cutTo = size;
  }

  /** Whether a truncation shortens the committed version itself. */
  #cuts(file: CachedFile | undefined, size: number): boolean {
    if (file?.isCommitted !== true || size >= file.size) return false;
    return size > 0 || isChanged(file.state);
  }

  async #change(
    change: (handle: FileHandle) => Promise<void>,
    done: (old: Buffer) => Buffer,
  ): Promise<boolean> {
    const [handle] = this.#handles;
    if (handle === undefined || this.#content === undefined) return false;
    if (!(await this.#unlessFull(() => change(handle)))) return false;
    this.#content = done(this.#content);
    const read = await handle.read(0, 1000, op);
    expect(String(Buffer.from(read))).toBe(String(this.#content));
    return true;
  }

  async #close(handle: FileHandle | undefined): Promise<void> {
    if (handle === undefined) return;
    const isFlushed = await this.#unlessFull(() => handle.flush(op));
    if (isFlushed) this.#committed();
    const isReleased = await this.#unlessFull(() => handle.release(op));
    // It is committed again at its turn.
    if ((!isFlushed || !isReleased) && this.#handles.length === 0) {
      this.#left.push(this.#content);
      this.#versions.add(String(this.#content));
    }
  }

  async #rename(): Promise<void> {
    if (this.#content === undefined) return;
    this.#isFull = false;
    const to = this.#path === 'f' ? 'g' : 'f';
    const { contents } = this.#parts;
    const file = this.#file;
    const renaming = async () => {
      const letGo = [await contents.hold(this.#path, op), await contents.hold(to, op)];
      const entry = this.#entry;
      const isHere = await contents.bringHere(this.#path, op);
      const { plain, remote } = this.world;
      this.#entry = undefined;
      if (entry !== undefined && isHere) await deleteOne(plain, entry, op);
      else if (entry !== undefined) this.#entry = await plain.can.moveFrom?.(remote, entry, to, op);
      await contents.renamed(this.#path, to, isHere ? { entry: undefined } : 'moved');
      for (const go of letGo) go();
    };
    await this.#during(renaming());
    this.#path = to;
    // Its line has the size of now.
    if (file?.isCommitted === true && isChanged(file.state)) this.#cutTo = this.#content.length;
  }

  async #delete(): Promise<void> {
    if (this.#content === undefined) return;
    this.#isFull = false;
    while (this.#handles.length > 0) await this.#close(this.#handles.pop());
    const { contents } = this.#parts;
    const deleting = async () => {
      const letGo = await contents.hold(this.#path, op);
      if (this.#entry !== undefined) await deleteOne(this.world.plain, this.#entry, op);
      this.#entry = undefined;
      await contents.removed(this.#path);
      letGo();
    };
    await this.#during(deleting());
    this.#content = undefined;
    this.#left = [undefined];
    this.#cutTo = undefined;
  }

  /** The program's newest bytes count from now on. */
  #committed(): void {
    if (this.#content === undefined || this.#file?.isDirty === false) return;
    this.#left = [this.#content];
    this.#cutTo = undefined;
    this.#versions.add(String(this.#content));
  }

  async #respond(how: Response): Promise<void> {
    const upload = this.#pending.shift();
    if (upload === undefined) return;
    const { source, bytes, signal, response } = upload;
    if (this.#heeds && signal.aborted) return response.reject(signal.reason);
    const isWhole = bytes !== undefined && (how === 'arrives' || how === 'arrives unseen');
    if (!isWhole && how !== 'lies') {
      const text = bytes === undefined ? 'the file was changed' : `the upload ${how}`;
      return response.reject(new SyncerError('network', text));
    }
    if (bytes === undefined) return response.reject(new SyncerError('source-changed', 'changed'));
    if (!this.#versions.has(String(bytes))) this.faults.push(`nobody closed ${bytes}`);
    if (how === 'lies') {
      const entry = { kind: 'file', path: source.path, size: bytes.length + 1 } as const;
      return response.resolve(entry);
    }
    const entry = await this.world.plain.write({ ...source, open: async () => bytes }, op);
    if (how === 'arrives') response.resolve(entry);
    else response.reject(new SyncerError('network', 'the response was lost'));
  }

  /** Waits for what may need the responses of uploads. */
  async #during(call: Promise<void>, arrives = true): Promise<void> {
    let isOver = false;
    const over = call.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    while (!isOver) {
      await this.#respond(arrives ? 'arrives' : 'fails');
      await new Promise(setImmediate);
    }
    await over;
  }

  /** Whether a call succeeds; it may fail if the disk is full. */
  async #unlessFull(call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (thrown) {
      if (!this.#isFull || !hasCode(thrown, 'no-space')) throw thrown;
      return false;
    }
  }

  async #onRemote(): Promise<Record<string, string | undefined>> {
    const found: Record<string, string | undefined> = { [this.#path]: undefined };
    for (const path of ['f', 'g']) {
      const content = await this.world.get(path);
      if (content !== undefined) found[path] = content.toString();
    }
    return found;
  }

  async #end(): Promise<void> {
    await this.#parts.contents.close();
    await Promise.all(this.#drains);
  }

  get #file(): CachedFile | undefined {
    return this.#parts.cache.find(this.#path);
  }
}

const resized = (old: Buffer, size: number): Buffer =>
  Buffer.concat([old.subarray(0, size), Buffer.alloc(Math.max(0, size - old.length))]);

test('a file of a mount loses nothing and mixes nothing, whatever programs, kills and the remote do', async () => {
  const content = fc.constantFrom(undefined, Buffer.from('of before'));
  const steps = fc.array(step, { maxLength: 25 });
  const writeBack = fc.constantFrom(0, 3_600_000);
  await fc.assert(
    fc.asyncProperty(
      ...[content, steps, writeBack, fc.boolean(), fc.boolean()],
      async (before, program, wait, heeds, isKilled) => {
        const model = new Model(heeds, wait);
        await model.begin(before);
        for (const each of program) {
          await model.take(each);
          await model.look();
        }
        await (isKilled ? model.kill() : model.finish());
        expect(model.faults).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
});
