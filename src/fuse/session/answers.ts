import type { Op } from '../../core/remote.ts';
import type {
  Attributes,
  CreatedFile,
  ListedEntry,
  MountOps,
  OpenedFile,
  Space,
} from '../../vfs/mount-ops.ts';
import type { Device } from '../device/fuse-device.ts';
import {
  ATTRIBUTES_SIZE,
  ENTRY_SIZE,
  SPACE_SIZE,
  writeAttributesAnswer,
  writeEntry,
  writeMissing,
  writeSpace,
} from '../wire/attributes.ts';
import { ReplyBuffer } from '../wire/reply-buffer.ts';
import type { CallsInFlight, FuseCall } from './calls-in-flight.ts';

/** Bytes of `struct fuse_open_out`, and its flags. */
const OPENED_SIZE = 16;
const OPENED = { directIo: 1, keepCache: 2 };

interface AnswerSettings {
  /** How long the kernel may keep attributes and names, in milliseconds. */
  readonly attrTimeoutMs: number;
  /** Every file bypasses the page cache. */
  readonly directIo: boolean;
}

/**
 * Responds to requests, each once. `false`: the response did not reach the kernel, which then lacks the lookup or the
 * open file in it.
 */
export class Answers {
  readonly buffer = new ReplyBuffer();
  readonly #device: Device;
  readonly #flight: CallsInFlight;
  readonly #settings: AnswerSettings;

  constructor(device: Device, flight: CallsInFlight, settings: AnswerSettings) {
    this.#device = device;
    this.#flight = flight;
    this.#settings = settings;
  }

  /** How long the kernel may keep attributes and names, in milliseconds. */
  get validMs(): number {
    return this.#settings.attrTimeoutMs;
  }

  error(call: FuseCall, errno: number): void {
    if (this.#flight.finish(call)) {
      this.#device.write(this.buffer.finish(call.unique, 0, 0, errno));
    }
  }

  /** Success without data. */
  done(call: FuseCall): boolean {
    return this.#send(call, 0);
  }

  entry(call: FuseCall, attributes: Attributes): boolean {
    writeEntry(this.buffer, 0, attributes, this.validMs);
    return this.#send(call, ENTRY_SIZE);
  }

  /** The name is missing; the kernel may remember that. */
  missing(call: FuseCall): boolean {
    writeMissing(this.buffer, 0, this.validMs);
    return this.#send(call, ENTRY_SIZE);
  }

  attributes(call: FuseCall, attributes: Attributes): boolean {
    writeAttributesAnswer(this.buffer, attributes, this.validMs);
    return this.#send(call, ATTRIBUTES_SIZE);
  }

  opened(call: FuseCall, file: OpenedFile): boolean {
    this.#writeOpened(0, file);
    return this.#send(call, OPENED_SIZE);
  }

  openedDir(call: FuseCall, handle: number): boolean {
    this.buffer.u64(0, handle);
    this.buffer.u64(8, 0);
    return this.#send(call, OPENED_SIZE);
  }

  created(call: FuseCall, file: CreatedFile): boolean {
    writeEntry(this.buffer, 0, file.attributes, this.validMs);
    this.#writeOpened(ENTRY_SIZE, file);
    return this.#send(call, ENTRY_SIZE + OPENED_SIZE);
  }

  written(call: FuseCall, length: number): boolean {
    this.buffer.u32(0, length);
    this.buffer.u32(4, 0);
    return this.#send(call, 8);
  }

  /** Bytes, without a copy. */
  data(call: FuseCall, bytes: Uint8Array): boolean {
    if (!this.#flight.finish(call)) return false;
    const head = this.buffer.finish(call.unique, 0, bytes.length);
    return this.#device.writeParts(head, bytes);
  }

  space(call: FuseCall, space: Space): boolean {
    writeSpace(this.buffer, space);
    return this.#send(call, SPACE_SIZE);
  }

  /** The first `length` bytes of the buffer. */
  raw(call: FuseCall, length: number): boolean {
    return this.#send(call, length);
  }

  #writeOpened(at: number, file: OpenedFile): void {
    const isDirect = file.directIo || this.#settings.directIo;
    this.buffer.u64(at, file.handle);
    this.buffer.u32(
      at + 8,
      (isDirect ? OPENED.directIo : 0) | (file.keepCache ? OPENED.keepCache : 0),
    );
    this.buffer.u32(at + 12, 0);
  }

  #send(call: FuseCall, length: number): boolean {
    if (!this.#flight.finish(call)) return false;
    return this.#device.write(this.buffer.finish(call.unique, length));
  }
}

/** Open directories, read block by block. Entries that did not fit wait here for the next block. */
export class DirStreams {
  readonly #ops: MountOps;
  /** `position` is that of the entry at `index`, in the file system's numbers. */
  readonly #streams = new Map<
    number,
    { position: number; readonly entries: readonly ListedEntry[]; index: number }
  >();

  constructor(ops: MountOps) {
    this.#ops = ops;
  }

  /** The entry at a position; `undefined` at the end of the directory. */
  async at(handle: number, position: number, op: Op): Promise<ListedEntry | undefined> {
    const held = this.#streams.get(handle);
    if (held?.position === position && held.index < held.entries.length) {
      return held.entries[held.index];
    }
    const entries = await this.#ops.readDir(handle, position, op);
    this.#streams.set(handle, { position, entries, index: 0 });
    return entries[0];
  }

  /** The kernel has the entry: returns the next one available, `undefined` if the file system must be asked. */
  advance(handle: number): ListedEntry | undefined {
    const stream = this.#streams.get(handle);
    const told = stream?.entries[stream.index];
    if (stream === undefined || told === undefined) return undefined;
    stream.position = told.next;
    return stream.entries[++stream.index];
  }

  close(handle: number): void {
    this.#streams.delete(handle);
    this.#ops.releaseDir(handle);
  }
}
