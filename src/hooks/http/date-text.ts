/** Times as HTTP's `Date` header has them. The last one is kept: many answers are sent in a second. */
export class DateText {
  #second = -1;
  #text = '';

  /** @param ms since 1970 */
  at(ms: number): string {
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}
