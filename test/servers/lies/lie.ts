import type { OperationName } from '../../../src/serve/s3/operations/index.ts';
import type { SeenRequest } from '../fault.ts';

/** An answer with its body read. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The connection ends after so many bytes of the body, which is sent in chunks. */
  readonly cutAfter?: number;
}

/** What is changed of a request before the store gets it. */
export interface ChangedRequest {
  readonly method?: string;
  readonly url?: string;
  /** Absent headers stay; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Buffer;
}

/** A request about whose answer a lie is told. */
export interface LieCall {
  readonly request: SeenRequest;
  readonly body: Buffer;
  /** Asks the store, as often as wanted. */
  ask(changed?: ChangedRequest): Promise<WholeAnswer>;
  /** Answers of before, by method and URL: what a cache could give again. */
  readonly past: ReadonlyMap<string, WholeAnswer>;
}

/** A way in which a store, or something before it, does not tell the truth. */
export interface Lie {
  /** What is wrong with the answer, in a few words. */
  readonly about: string;
  /** The requests that it can be told about. */
  readonly of: readonly OperationName[];
  /** No client can see it in an answer: docs/proof.md names it as a limit. */
  readonly isHidden?: true;
  /** The server does nothing: what was there before is there still. */
  readonly doesNothing?: true;
  /** Gives the answer; `undefined` where there is nothing to lie about: the truth is told then. */
  tell(call: LieCall): Promise<WholeAnswer | undefined> | WholeAnswer | undefined;
}

/** Lies by name. */
export type Lies = Readonly<Record<string, Lie>>;

/** An answer with a body of this type, or with none. */
export function answerOf(status: number, body = '', type = 'application/xml'): WholeAnswer {
  const headers = body === '' ? {} : { 'content-type': type };
  return { status, headers, body: Buffer.from(body) };
}

/** The answer with headers changed; `undefined` takes one away. */
export function withHeaders(
  answer: WholeAnswer,
  changed: Readonly<Record<string, string | undefined>>,
): WholeAnswer {
  const headers = Object.entries({ ...answer.headers, ...changed });
  const kept = headers.filter((each): each is [string, string] => each[1] !== undefined);
  return { ...answer, headers: Object.fromEntries(kept) };
}

/** The answer with another text; `undefined` where that changes nothing. */
export function withText(
  answer: WholeAnswer,
  change: (text: string) => string,
): WholeAnswer | undefined {
  const text = answer.body.toString('utf8');
  const changed = change(text);
  return changed === text ? undefined : { ...answer, body: Buffer.from(changed) };
}
