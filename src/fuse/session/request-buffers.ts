import { MAX_WRITE } from '../wire/init.ts';
import { RequestReader } from '../wire/request-reader.ts';

/** The kernel wants room for the largest write, the header of a request and a little more. */
const BUFFER_SIZE = MAX_WRITE + 4096;

/** How many buffers are kept that nothing uses. */
const SPARE = 4;

/**
 * The buffers that requests are read into. A write lends its buffer out until the bytes in it are no longer needed; the
 * next request then takes another one.
 */
export class FuseBuffers {
  readonly #spare: RequestReader[] = [];
  #current = new RequestReader(BUFFER_SIZE);

  /** The one that the next request is read into. */
  get current(): RequestReader {
    return this.#current;
  }

  /** Sets the current buffer aside until `used` settles. */
  lend(used: Promise<unknown>): void {
    const lent = this.#current;
    this.#current = this.#spare.pop() ?? new RequestReader(BUFFER_SIZE);
    const back = () => {
      if (this.#spare.length < SPARE) this.#spare.push(lent);
    };
    used.then(back, back);
  }
}
