import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-fault.ts';
import { goQuote } from '../../go/go-quote.ts';

/** How much the headers of a part may take. */
export interface HeaderRoom {
  /** In bytes, counted as Go counts them: of names and values, and for each name and the whole. */
  readonly bytes: number;
  readonly entries: number;
}

/** What Go's `mime/multipart` allows for all parts of a body. */
export const MAX_ENTRIES = 10_000;
/** What Go counts for the headers of a part, and for each name among them, besides their bytes. */
const PART_OVERHEAD = 400;
const NAME_OVERHEAD = 200;
/** What Go says of a form that takes more than it may. */
export const TOO_LARGE = 'multipart: message too large';

/** The headers of a part, taken in line by line as Go's `textproto` does. */
export class PartHeaders {
  /** By lower-case name, in the order they came. */
  readonly values = new Map<string, string[]>();
  #bytesLeft: number;
  #entriesLeft: number;
  /** A header that may go on in the next line, as latin1. */
  #begun: string | undefined;
  #isFirst = true;

  constructor({ bytes, entries }: HeaderRoom) {
    this.#bytesLeft = bytes - PART_OVERHEAD;
    this.#entriesLeft = entries;
  }

  /** So long may the next line be. */
  get longestLine(): number {
    return this.#bytesLeft - (this.#begun?.length ?? 0);
  }

  /** Takes a line, with its line break. Whether it is the empty one at their end. Throws `GoFault`. */
  take(bytes: Buffer): boolean {
    const end = lineEnd(bytes);
    const goesOn = isBlank(bytes[0]);
    if (this.#isFirst && goesOn) {
      throw new GoFault(
        `malformed MIME header initial line: ${nameFromBytes(bytes.subarray(0, end))}`,
      );
    }
    this.#isFirst = false;
    if (goesOn && this.#begun !== undefined) {
      this.#begun += ` ${trimmed(bytes, end)}`;
      return false;
    }
    this.#add();
    if (end === 0) return true;
    if (!bytes.subarray(0, end).includes(':')) {
      const line = goQuote(nameFromBytes(bytes.subarray(0, end)));
      throw new GoFault(`malformed MIME header: missing colon: ${line}`);
    }
    this.#begun = trimmed(bytes, end);
    return false;
  }

  #add(): void {
    const line = this.#begun;
    this.#begun = undefined;
    if (line === undefined) return;
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = line.slice(0, colon).toLowerCase();
    const bytes = Buffer.from(line.slice(colon + 1), 'latin1');
    const value = nameFromBytes(bytes.subarray(firstNonBlank(bytes, bytes.length)));
    const known = this.values.get(name);
    if (known === undefined) {
      this.#bytesLeft -= name.length + NAME_OVERHEAD;
      this.values.set(name, [value]);
    } else known.push(value);
    this.#bytesLeft -= bytes.length;
    if (--this.#entriesLeft < 0 || this.#bytesLeft < 0) throw new GoFault(TOO_LARGE);
  }
}

/** What the headers of a file take of the room of its form, counted as Go counts it. */
export function headerSize(headers: ReadonlyMap<string, readonly string[]>): HeaderRoom {
  let bytes = PART_OVERHEAD;
  let entries = 0;
  for (const [name, values] of headers) {
    bytes += name.length + NAME_OVERHEAD;
    entries += values.length;
    for (const value of values) bytes += value.length;
  }
  return { bytes, entries };
}

/** Where the line break begins that a line may end with. */
function lineEnd(line: Buffer): number {
  if (line.at(-1) !== 0x0a) return line.length;
  return line.at(-2) === 0x0d ? line.length - 2 : line.length - 1;
}

function trimmed(line: Buffer, end: number): string {
  let to = end;
  while (to > 0 && isBlank(line[to - 1])) to--;
  return line.toString('latin1', firstNonBlank(line, to), to);
}

function firstNonBlank(bytes: Buffer, end: number): number {
  let at = 0;
  while (at < end && isBlank(bytes[at])) at++;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}
