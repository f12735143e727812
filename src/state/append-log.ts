import fs from 'node:fs';
import { writeNow } from '../system/file-bytes.ts';
import { replaceFileSync } from './replace-file.ts';

/**
 * A file of lines that are only appended, or all replaced. Appended lines survive the end of the process, and after
 * `sync` a power cut. A crash may cut the last line: the next one begins behind it, and `lines` yields what is left. The
 * methods throw errors of the file system.
 */
export class AppendLog {
  readonly #place: () => string | Buffer;
  #fd: number | undefined;

  /** @param place the path of the file, asked for again at each use */
  constructor(place: () => string | Buffer) {
    this.#place = place;
  }

  /** The lines of the file without the empty ones; none if it is missing. */
  *lines(): Generator<string> {
    let bytes: Buffer;
    try {
      bytes = fs.readFileSync(this.#place());
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw thrown;
    }
    // A log of a GB is too long for one string.
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(0x0a, from);
      const end = newline < 0 ? bytes.length : newline;
      if (end > from) yield bytes.toString('utf8', from, end);
      from = end + 1;
    }
  }

  /** Adds whole lines. */
  append(text: string): void {
    let bytes = Buffer.from(text);
    if (this.#fd === undefined) {
      this.#fd = fs.openSync(this.#place(), 'a', 0o600);
      bytes = Buffer.from(`\n${text}`);
    }
    try {
      // On a full disk a write can end half-way without an error: the next one then reports it.
      writeNow(this.#fd, bytes);
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  /** Waits until the lines are on disk. */
  sync(): void {
    if (this.#fd !== undefined) fs.fdatasyncSync(this.#fd);
  }

  rewrite(lines: Iterable<string>): void {
    this.close();
    replaceFileSync(this.#place(), inPieces(lines));
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** In pieces that are written by one call each. */
function* inPieces(lines: Iterable<string>): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 1_000_000) continue;
    yield text;
    text = '';
  }
  yield text;
}
