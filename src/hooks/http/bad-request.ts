/** A request that is refused before it reaches a hook: status and what stands behind it in the answer. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}
