import { SyncerError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { type ModTime, parseRfc3339 } from '../../core/mod-time.ts';

/** An answer of the remote control. */
export type RcloneAnswer = Readonly<Record<string, unknown>>;

/** A call, and the path that it is about, for messages. */
export interface AnsweredCall {
  readonly name: string;
  /** As the user writes it. */
  readonly path?: string | undefined;
}

/** An entry of `operations/list` and `operations/stat`. */
export interface RcloneItem {
  /** Relative to the remote that was asked. */
  readonly Path: string;
  readonly Name: string;
  /** In bytes; -1 if unknown. */
  readonly Size: number;
  /** `''` if it was not asked for. */
  readonly ModTime: string;
  readonly MimeType?: string;
  readonly IsDir: boolean;
  readonly ID?: string;
  readonly Tier?: string;
  readonly IsBucket?: boolean;
  readonly Hashes?: Readonly<Record<string, string>> | null;
  readonly Metadata?: Readonly<Record<string, string>> | null;
}

/** What a remote can do and keeps, as `operations/fsinfo` says it. */
export interface RcloneInfo {
  readonly features: Readonly<Record<string, boolean | undefined>>;
  readonly hashes: readonly string[];
  /** Of its modification times, in nanoseconds. */
  readonly precision: number;
  /** Its description. */
  readonly title: string;
}

/** The error for an answer that does not have the form that rclone gives it. */
export function badAnswer({ name, path }: AnsweredCall, why: string): SyncerError {
  const text = `invalid response of rclone to ${name}: ${why}`;
  const message = path === undefined || path === '' ? text : `${path}: ${text}`;
  const advice = 'check which rclone is used; --rclone-program names another one';
  return new SyncerError('bad-answer', message, { path, advice });
}

/** The object in the text of a successful answer. Throws `bad-answer` for anything else, and for an error. */
export function answerIn(text: string, call: AnsweredCall): RcloneAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw badAnswer(call, 'it is not JSON');
  }
  if (!isJsonObject(answer)) throw badAnswer(call, 'it is not an object');
  // A command has run, and says by `error` whether it succeeded.
  if (call.name !== 'core/command' && 'error' in answer)
    throw badAnswer(call, 'it has an error and the status of success');
  return answer;
}

/** The entries of the answer of `operations/list`. Throws `bad-answer` unless all have the form of entries. */
export function itemsOf(answer: RcloneAnswer, call: AnsweredCall): readonly RcloneItem[] {
  const { list } = answer;
  if (!Array.isArray(list)) throw badAnswer(call, 'it has no list');
  for (let at = 0; at < list.length; at++) checkItem(list[at], call);
  return list;
}

/** The entry of the answer of `operations/stat`; `undefined` if it says that nothing is there. Throws `bad-answer`. */
export function itemOf({ item }: RcloneAnswer, call: AnsweredCall): RcloneItem | undefined {
  if (item === null) return undefined;
  if (item === undefined) throw badAnswer(call, 'it has no item');
  checkItem(item, call);
  return item;
}

function checkItem(item: unknown, call: AnsweredCall): asserts item is RcloneItem {
  const wrong = faultOf(item);
  if (wrong !== undefined) throw badAnswer(call, `an entry has no valid ${wrong}`);
}

/** Which member of an entry is missing or of another type; `undefined` if none is. */
function faultOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return 'form';
  const { Path, Name, Size, ModTime, IsDir, MimeType, ID, Tier, Hashes, Metadata } = item;
  if (typeof Path !== 'string' || Path === '') return 'Path';
  if (typeof Name !== 'string') return 'Name';
  if (typeof IsDir !== 'boolean') return 'IsDir';
  if (!Number.isInteger(Size) || (!IsDir && (Size as number) < -1)) return 'Size';
  if (typeof ModTime !== 'string') return 'ModTime';
  if (!mayBeText(MimeType)) return 'MimeType';
  if (!mayBeText(ID)) return 'ID';
  if (!mayBeText(Tier)) return 'Tier';
  if (!mayBeTexts(Hashes)) return 'Hashes';
  if (!mayBeTexts(Metadata)) return 'Metadata';
  return undefined;
}

const mayBeText = (value: unknown) => value === undefined || typeof value === 'string';

function mayBeTexts(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (!isJsonObject(value)) return false;
  for (const name in value) if (typeof value[name] !== 'string') return false;
  return true;
}

/** The time of an entry; `undefined` if it has none, or one that syncer cannot keep. Throws `bad-answer`. */
export function timeOf({ ModTime: text }: RcloneItem, call: AnsweredCall): ModTime | undefined {
  if (text === '') return undefined;
  const time = parseRfc3339(text);
  if (time !== undefined || /^-?\d+-\d\d-\d\dT\d\d:/.test(text)) return time;
  throw badAnswer(call, 'an entry has no valid ModTime');
}

/** The answer of `operations/fsinfo`. Throws `bad-answer`. */
export function infoOf(answer: RcloneAnswer, call: AnsweredCall): RcloneInfo {
  const { Features: features, Hashes: hashes, Precision: precision, String: title } = answer;
  const areFlags = (value: unknown): value is RcloneInfo['features'] =>
    isJsonObject(value) && Object.values(value).every((one) => typeof one === 'boolean');
  if (!areFlags(features)) throw badAnswer(call, 'it has no valid Features');
  const areNames = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (!areNames(hashes)) throw badAnswer(call, 'it has no valid Hashes');
  if (typeof precision !== 'number' || !Number.isInteger(precision) || precision < 0)
    throw badAnswer(call, 'it has no valid Precision');
  if (typeof title !== 'string') throw badAnswer(call, 'it has no String');
  return { features, hashes, precision, title };
}

/** The answers to the calls of a `job/batch`, one for each, in their order. Throws `bad-answer`. */
export function resultsOf(
  { results }: RcloneAnswer,
  count: number,
  call: AnsweredCall,
): readonly { readonly error?: string }[] {
  if (!Array.isArray(results)) throw badAnswer(call, 'it has no results');
  if (results.length !== count)
    throw badAnswer(call, `it has ${results.length} results for ${count} calls`);
  for (const result of results) {
    const isOne = isJsonObject(result) && ['undefined', 'string'].includes(typeof result['error']);
    if (!isOne) throw badAnswer(call, 'a result is not that of a call');
  }
  return results;
}
