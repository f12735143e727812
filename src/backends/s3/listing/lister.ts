import { hasCode, SyncerError } from '../../../core/errors.ts';
import { compareNames, NamesInTurn } from '../../../core/name-order.ts';
import type { Op } from '../../../core/remote.ts';
import { askFresh } from '../client/ask.ts';
import type { S3Request } from '../client/request.ts';
import type { S3Client } from '../client/s3-client.ts';
import { refusesForm, StoreError } from '../store-error.ts';
import { decodeKey, type ListedKey, type ListedPage, readListPage } from '../xml/read-answer.ts';

/** A page with its names decoded. */
export interface KeyPage {
  readonly keys: readonly ListedKey[];
  readonly prefixes: readonly string[];
  readonly next?: Position;
  /** It has more than was asked for: its prefixes are not limited to the range of its keys. */
  readonly isOverfull?: true;
}

/** Lists keys, and learns which type of list request the server supports. */
export class Lister {
  readonly #client: S3Client;
  #version: 1 | 2;
  #urlEncode: boolean;
  readonly #isFixed: { readonly version: boolean; readonly urlEncode: boolean };

  constructor(client: S3Client) {
    const { listVersion, listUrlEncode } = client.settings;
    this.#client = client;
    this.#version = listVersion === 1 ? 1 : 2;
    this.#urlEncode = listUrlEncode ?? true;
    this.#isFixed = { version: listVersion !== 0, urlEncode: listUrlEncode !== undefined };
  }

  /** One page. Rejects with a `StoreError`, or `bad-answer` if the listing is invalid. */
  page(query: ListQuery, op: Op): Promise<KeyPage> {
    return this.read(query, op, (page) => page);
  }

  /**
   * As `page`, with what `use` makes of it. A promise that waits for a server is old by V8's measure when it is settled,
   * and keeps its value until the next whole collection: a page that goes no further than `use` dies young.
   */
  async read<T>(query: ListQuery, op: Op, use: (page: KeyPage) => T): Promise<T> {
    for (;;) {
      const asked = { version: this.#version, urlEncode: this.#urlEncode };
      try {
        return await askFresh(this.#client, this.#request(query), op, async ({ body }) => {
          const page = await readListPage(body, op.sizesOnly);
          checkPage(page, query);
          return use(this.#decode(page, query));
        });
      } catch (error) {
        const hasChanged = asked.version !== this.#version || asked.urlEncode !== this.#urlEncode;
        if (!hasChanged && (query.isOptional === true || !this.#adapt(error))) throw error;
      }
    }
  }

  #request(query: ListQuery): S3Request {
    const { bucket, prefix, position } = query;
    const parameters: [string, string][] = [
      ['max-keys', String(query.limit ?? this.#client.settings.listChunk)],
      ['prefix', prefix],
    ];
    if (query.byDirectory) parameters.push(['delimiter', '/']);
    if (this.#urlEncode) parameters.push(['encoding-type', 'url']);
    const { token, marker, after }: Place = position ?? {};
    const isBegin = position === undefined || after !== undefined;
    const isVersion2 = isBegin ? this.#version === 2 : token !== undefined;
    if (isVersion2) parameters.push(['list-type', '2']);
    const name = isVersion2 ? 'start-after' : 'marker';
    if (token !== undefined) parameters.push(['continuation-token', token]);
    else if (position !== undefined) parameters.push([name, marker ?? after ?? '']);
    const about = prefix === '' ? `bucket ${bucket}` : `${bucket}/${prefix}`;
    return { method: 'GET', bucket, query: parameters, doing: 'list', about };
  }

  /** Drops a feature that the server refused; `false` if there is nothing left to drop. */
  #adapt(error: unknown): boolean {
    if (hasCode(error, 'bad-answer') && !(error instanceof StoreError) && !this.#urlEncode) {
      // Control characters in keys are invalid XML.
      this.#urlEncode = true;
      return true;
    }
    // Each form needs the same right.
    if (!refusesForm(error) || error.code === 'access-denied') return false;
    if (this.#urlEncode && !this.#isFixed.urlEncode) {
      this.#urlEncode = false;
      return true;
    }
    if (this.#version === 2 && !this.#isFixed.version) {
      this.#version = 1;
      this.#urlEncode = this.#client.settings.listUrlEncode ?? true;
      return true;
    }
    return false;
  }

  #decode(page: ListedPage, query: ListQuery): KeyPage {
    const decode = page.urlEncoded ? decodeKey : (text: string) => text;
    const keys = page.keys.map((listed) => {
      const key = decode(listed.key);
      checkKey(key, listed.size, query);
      return key === listed.key ? listed : { ...listed, key };
    });
    const prefixes = page.prefixes.map((text) => {
      const name = decode(text);
      checkKey(name, 0, query);
      return name;
    });
    if (!page.truncated) return { keys, prefixes };
    const most = query.limit ?? this.#client.settings.listChunk;
    const isOverfull = most > 0 && keys.length > 0 && keys.length + prefixes.length > most;
    const { nextToken: token, nextMarker } = page;
    const [lastKey = '', lastPrefix = ''] = [keys.at(-1)?.key, prefixes.at(-1)];
    const last = isOverfull || compareNames(lastKey, lastPrefix) > 0 ? lastKey : lastPrefix;
    const marker = nextMarker === undefined ? last || undefined : decode(nextMarker);
    const before: Place = query.position ?? {};
    const empty = keys.length + prefixes.length > 0 ? 0 : (query.position?.empty ?? 0) + 1;
    const isSame = token === undefined ? marker === before.marker : token === before.token;
    // After that number of empty pages, the server is not believed to have more.
    if ((token ?? marker) === undefined || isSame || empty > 10_000) {
      const text = `invalid listing of bucket ${query.bucket}: the next page does not follow the last`;
      const advice = 'try the option list_version or list_url_encode';
      throw new SyncerError('bad-answer', `${text}; ${advice}`);
    }
    const place = token === undefined ? { marker: marker ?? '' } : { token };
    const next = empty === 0 ? place : { ...place, empty };
    return isOverfull ? { keys, prefixes, next, isOverfull } : { keys, prefixes, next };
  }
}

/** Throws `bad-answer` for another bucket, prefix or position, or a wrong count. Missing elements prove nothing. */
function checkPage(page: ListedPage, { bucket, prefix, byDirectory, position }: ListQuery) {
  const { told, keys, prefixes, urlEncoded } = page;
  const wrong = (what: string) =>
    new SyncerError('bad-answer', `invalid listing of bucket ${bucket}: ${what}`);
  const isOther = (name: string, asked: string) => {
    const text = told.get(name);
    if (text === undefined || text === asked) return false;
    return !(urlEncoded && decodeKey(text) === asked) && text.trim() !== asked;
  };
  const name = told.get('Name')?.trim();
  // Ceph reports the name without its tenant; an access point has another name than its bucket.
  const isOwn = name === bucket || bucket.endsWith(`:${name}`);
  const isAlias = /^arn:|-s3alias$/.test(bucket);
  if (name && !isOwn && !isAlias) throw wrong(`it is of bucket ${name}`);
  if (isOther('Prefix', prefix)) throw wrong(`it is of prefix "${told.get('Prefix')}"`);
  // Some servers leave the element empty.
  if (told.get('Delimiter') && isOther('Delimiter', byDirectory ? '/' : '')) {
    throw wrong(`it is by "${told.get('Delimiter')}"`);
  }
  const { token = '', marker = '', after }: Place = position ?? {};
  const places = { Marker: after ?? marker, ContinuationToken: token, StartAfter: after ?? '' };
  for (const [element, asked] of Object.entries(places)) {
    if (told.get(element) && isOther(element, asked)) throw wrong('it starts at another key');
  }
  const count = told.get('KeyCount')?.trim();
  // Some servers count the prefixes, others do not.
  const counts = [String(keys.length), String(keys.length + prefixes.length)];
  if (count && !counts.includes(count)) {
    throw wrong(`it claims ${count} keys, but has ${keys.length + prefixes.length}`);
  }
}

/** Throws `bad-answer` if a key of a listing is invalid or does not belong to it. */
function checkKey(key: string, size: number, { bucket, prefix, byDirectory }: ListQuery): void {
  let what: string | undefined;
  if (key === '') what = 'a key without a name';
  else if (size < 0) what = `the size of ${key}`;
  else if (prefix !== '' && !key.startsWith(prefix)) what = `${key} is outside of ${prefix}`;
  else if (byDirectory) {
    const slash = key.indexOf('/', prefix.length);
    if (slash >= 0 && slash < key.length - 1) what = `${key} is deeper than requested`;
  }
  if (what === undefined) return;
  throw new SyncerError('bad-answer', `invalid listing of bucket ${bucket}: ${what}`);
}

/** Where a listing continues: a token (version 2), a key (version 1), or, at its start with either, after any text. */
export type Position = (
  | { readonly token: string }
  | { readonly marker: string }
  | { readonly after: string }
) & {
  /** How many pages before it were empty. */
  readonly empty?: number;
};

/** A position, by its parts: it has one of them. */
type Place = Partial<Readonly<Record<'token' | 'marker' | 'after', string>>>;

/** A listing of which more was listed than asked for. */
export interface KeysAhead {
  /** `next` has given the last keys. */
  readonly isOver: boolean;
  /** The next keys, at most a page; `undefined` after the last. Rejects as `Lister.page`, also of every later call. */
  next(): Promise<readonly ListedKey[] | undefined>;
  /** Ends the requests that are under way. */
  end(): void;
}

export interface ListQuery {
  readonly bucket: string;
  readonly prefix: string;
  /** Whole names up to the next slash after the prefix, instead of all keys. */
  readonly byDirectory: boolean;
  readonly position: Position | undefined;
  /** It can be done without: a refusal shows nothing about what the server knows. */
  readonly isOptional?: boolean;
  /** Most keys on the page; the setting by default. */
  readonly limit?: number | undefined;
}

/** Watches the order of the keys of a listing, as far as its server keeps one. */
export class KeyOrder {
  readonly #bucket: string;
  #isKept = false;

  constructor(bucket: string) {
    this.#bucket = bucket;
  }

  /** Whether keys come before `after` or one another. Throws if that is impossible (`mustBe`), and for a repeated key. */
  isBroken({ keys }: KeyPage, after: string | undefined, mustBe: boolean): boolean {
    const order = new NamesInTurn(after);
    let before = after;
    let wrong: string | undefined;
    for (const { key } of keys) {
      if (order.next(key) <= 0) {
        // Some servers sort by UTF-16, which differs beyond the names of most languages.
        if (mustBe || (this.#isKept && key <= (before ?? ''))) {
          const text = `the server does not list bucket ${this.#bucket} in order: ${key} is misplaced`;
          throw new SyncerError('bad-answer', text);
        }
        wrong ??= key;
      }
      before = key;
    }
    if (wrong === undefined) {
      // That number in order is no coincidence.
      if (keys.length >= 10) this.#isKept = true;
      return false;
    }
    if (new Set(keys.map(({ key }) => key)).size === keys.length) return true;
    throw new SyncerError('bad-answer', `the server lists keys of bucket ${this.#bucket} twice`);
  }
}
