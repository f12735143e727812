import { SyncerError } from '../../../core/errors.ts';
import { decodeKey } from '../xml/decode-key.ts';
import type { ListedPage } from '../xml/list-page.ts';
import type { ListQuery } from './list-query.ts';

/**
 * Throws `bad-answer` if a page is not the requested one: another bucket, prefix or position, or fewer keys than it
 * counts. Missing elements prove nothing.
 */
export function checkPage(page: ListedPage, { bucket, prefix, byDirectory, position }: ListQuery) {
  const { told, keys, prefixes, urlEncoded } = page;
  const wrong = (what: string) =>
    new SyncerError('bad-answer', `invalid listing of bucket ${bucket}: ${what}`);
  const isOther = (name: string, asked: string) => {
    const text = told.get(name);
    if (text === undefined || text === asked) return false;
    return !(urlEncoded && decodeKey(text) === asked) && text.trim() !== asked;
  };
  const name = told.get('Name')?.trim();
  if (name && !isNameOf(name, bucket)) throw wrong(`it is of bucket ${name}`);
  if (isOther('Prefix', prefix)) throw wrong(`it is of prefix "${told.get('Prefix')}"`);
  // Some servers leave the element empty.
  if (told.get('Delimiter') && isOther('Delimiter', byDirectory ? '/' : '')) {
    throw wrong(`it is by "${told.get('Delimiter')}"`);
  }
  const places = {
    Marker: position !== undefined && 'marker' in position ? position.marker : '',
    ContinuationToken: position !== undefined && 'token' in position ? position.token : '',
    StartAfter: '',
  };
  if (position !== undefined && 'after' in position) {
    places.Marker = position.after;
    places.StartAfter = position.after;
  }
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
export function checkKey(
  key: string,
  size: number,
  { bucket, prefix, byDirectory }: ListQuery,
): void {
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

/** Ceph reports the name without its tenant; an access point has another name than its bucket. */
function isNameOf(told: string, bucket: string): boolean {
  return told === bucket || bucket.endsWith(`:${told}`) || /^arn:|-s3alias$/.test(bucket);
}
