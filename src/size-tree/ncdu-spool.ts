import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import { compareNames } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { namelessFile } from '../system/nameless-file.ts';
import {
  type ExportHeader,
  headText,
  nameAndSizes,
  READ_ERROR,
  SIZE_UNKNOWN,
  timeText,
} from './export-ncdu.ts';
import { nodeOf } from './tree-feed.ts';

/** Text written or read at a time. */
const CHUNK = 64 * 1024;

/** Stands for the time of a directory in the file; JSON never contains it. */
const TIME = '\0';

/**
 * A scan in the format of `exportNcdu` whose entries come in the order of their paths, in a temporary file. The record of
 * a directory is before those below it and has the time of the newest file: memory holds that time, and nothing of files.
 */
export class NcduSpool {
  readonly #file = namelessFile(
    'the temporary file of a scan',
    'set TMPDIR to a directory with more space',
  );
  /** Of each directory as they came, the root first. */
  readonly #times: number[] = [Number.NaN];
  /** The directories that are open, innermost last, without the root. */
  #open: { readonly name: string; readonly at: number }[] = [];
  #openPath = '';
  #last: string | undefined;
  #text = '';
  #bytes = 0;
  #isExact = true;
  /** Why something could not be listed. */
  failure: string | undefined;

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  /** Of all files; `undefined` if the size of one is not known. */
  get bytes(): number | undefined {
    return this.#isExact ? this.#bytes : undefined;
  }

  /** Sets why something could not be listed; the first reason counts. */
  fail(message: string): void {
    this.failure ??= message;
  }

  /**
   * Adds a page of a flat listing. `false` if a path is not behind the one before, or has empty names (`a//b`): then a
   * directory could come twice, and the spool must not be used.
   */
  add(entries: readonly Entry[]): boolean {
    for (const entry of entries) if (!this.#addOne(entry)) return false;
    return true;
  }

  #addOne(entry: Entry): boolean {
    const isDir = entry.kind === 'dir';
    const path = isDir ? `${entry.path}/` : entry.path;
    const isNext = this.#last === undefined || compareNames(this.#last, path) < 0;
    // Each name of the path has a character.
    const { path: own } = entry;
    const isPlain = own !== '' && !own.startsWith('/') && !own.endsWith('/') && !own.includes('//');
    if (!isNext || !isPlain) return false;
    this.#last = path;
    this.#enter(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
    if (isDir) return true;
    const { name, size, timeMs } = nodeOf(entry);
    this.#rollTime(this.#open.at(-1)?.at ?? 0, timeMs);
    if (size >= 0) this.#bytes += size;
    else this.#isExact = false;
    const unknown = size < 0 ? SIZE_UNKNOWN : '';
    this.#write(`,\n${nameAndSizes(name, Math.max(0, size))}${unknown}${timeText(timeMs)}}`);
    return true;
  }

  /** Ends the directories that do not contain `dir`, and begins the others above it, and itself. */
  #enter(dir: string): void {
    if (dir === this.#openPath) return;
    this.#openPath = dir;
    const names = dir === '' ? [] : dir.split('/');
    let same = 0;
    while (same < names.length && this.#open[same]?.name === names[same]) same++;
    this.#leave(same);
    for (const name of names.slice(same)) {
      this.#open.push({ name, at: this.#times.length });
      this.#times.push(Number.NaN);
      this.#write(`,\n[${nameAndSizes(name, 0)}${TIME}}`);
    }
  }

  /** Ends all but the outermost directories: what is above one is as new as that. */
  #leave(count: number): void {
    while (this.#open.length > count) {
      const at = this.#open.pop()?.at ?? 0;
      this.#rollTime(this.#open.at(-1)?.at ?? 0, this.#times[at] ?? Number.NaN);
      this.#write(']');
    }
  }

  #rollTime(dir: number, timeMs: number): void {
    const known = this.#times[dir] ?? Number.NaN;
    if (Number.isNaN(known) || timeMs > known) this.#times[dir] = timeMs;
  }

  #write(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK) this.#flush();
  }

  #flush(): void {
    this.#file.append(nameToBytes(this.#text));
    this.#text = '';
  }

  /** All of it, piece by piece; nothing is added any more. */
  *export(header: ExportHeader): Generator<string> {
    this.#enter('');
    this.#flush();
    const [ofRoot = Number.NaN] = this.#times;
    const failed = this.failure === undefined ? '' : READ_ERROR;
    yield `${headText(header)}[${nameAndSizes(header.title, 0)}${failed}${timeText(ofRoot)}}`;
    const { length } = this.#file;
    let dir = 0;
    for (let at = 0; at < length; ) {
      const bytes = this.#file.read(at, Math.min(CHUNK, length - at));
      // Never within a character.
      const end = at + bytes.length === length ? bytes.length : bytes.lastIndexOf('\n') + 1;
      at += end;
      const text = nameFromBytes(bytes.subarray(0, end));
      yield text.replaceAll(TIME, () => timeText(this.#times[++dir] ?? Number.NaN));
    }
    yield ']]\n';
  }

  close(): void {
    this.#file.close();
  }
}
