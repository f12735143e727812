import type { Drive } from '../drive.ts';
import { type DriveItem, itemsIn } from '../drive-item.ts';
import { type Answer, type GraphCall, isObject, type JsonObject } from '../graph-call.ts';
import type { GraphOperation } from '../graph-fault.ts';
import type { GraphWorld } from '../graph-world.ts';
import { itemJson } from '../item-json.ts';

/** A request about whose answer a lie is told. */
export interface GraphLieCall {
  readonly call: GraphCall;
  readonly operation: GraphOperation;
  readonly world: GraphWorld;
  /** Lets the service do what it was asked; at most once. */
  ask(): Answer;
  /** What the service says of another request of the same client. */
  askFor(changed: Partial<GraphCall>): Answer;
}

/** A way in which a service, or something before it, does not tell the truth. */
export interface GraphLie {
  /** What is wrong with the answer, in a few words. */
  readonly about: string;
  /** The requests that it can be told about. */
  readonly of: readonly GraphOperation[];
  /** No client can see it in an answer: docs/proof.md names it as a limit. */
  readonly isHidden?: true;
  /** Gives the answer; `undefined` where there is nothing to lie about: the truth is told then. */
  tell(call: GraphLieCall): Answer | undefined;
}

/** Lies by name. */
export type GraphLies = Readonly<Record<string, GraphLie>>;

/** An answer of something before the service. */
export function strangerAnswer(status: number, body = '', type = 'text/html'): Answer {
  const headers = body === '' ? {} : { 'content-type': type };
  return { status, headers, body: [Buffer.from(body)], isStranger: true };
}

/** The answer with some of its JSON changed; `undefined` takes a part away. Errors stay as they are. */
export function withJson(answer: Answer, changed: JsonObject): Answer {
  if (answer.status >= 300 || !isObject(answer.json)) return answer;
  return { ...answer, json: { ...answer.json, ...changed } };
}

/** The page with other items in it. Errors stay as they are. */
export function withValue(
  answer: Answer,
  change: (items: readonly JsonObject[]) => unknown,
): Answer {
  const { json } = answer;
  if (!isObject(json) || !Array.isArray(json['value'])) return answer;
  return withJson(answer, { value: change(json['value'] as JsonObject[]) });
}

/** The page where its `n`th item is another one; `undefined` where it has none. */
export function withItem(
  answer: Answer,
  change: (item: JsonObject) => JsonObject,
  wanted: (item: JsonObject) => boolean = () => true,
): Answer {
  return withValue(answer, (items) => {
    const at = items.findIndex(wanted);
    return items.map((item, index) => (index === at ? change(item) : item));
  });
}

/** A file of the drive other than the one with an id. */
export function otherFile(world: GraphWorld, id: unknown): readonly [DriveItem, Drive] | undefined {
  for (const drive of world.drives) {
    for (const item of itemsIn(drive.root)) {
      if (item.content !== undefined && item.id !== id) return [item, drive];
    }
  }
  return undefined;
}

/** The answer, telling of another file of the drive. */
export function ofAnother(answer: Answer, { world, call }: GraphLieCall): Answer | undefined {
  if (answer.status >= 300 || !isObject(answer.json)) return answer;
  const [item, drive] = otherFile(world, answer.json['id']) ?? [];
  if (item === undefined || drive === undefined) return undefined;
  return { ...answer, json: itemJson(item, { world, call, drive }) };
}
