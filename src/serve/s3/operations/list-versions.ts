import type { Bucket } from '../store/bucket.ts';
import { findObject } from '../store/find-object.ts';
import { type ObjectRecord, versionIdOf } from '../store/object-record.ts';
import { SortedKeys, walkKeys } from '../store/sorted-keys.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, OWNER, type WriteName, xmlDocument } from '../wire/s3-error.ts';
import { bucketOf, type Call } from './call.ts';
import { groupElements, isGroup, listQuery, objectElements } from './list-objects.ts';

/** A version or delete marker in a listing. */
interface ListedVersion {
  readonly versionId: string;
  readonly latest: boolean;
  readonly modified: number;
  /** Absent for a delete marker. */
  readonly object?: ObjectRecord;
}

/** A page of all versions and delete markers, by key and then newest first. */
export async function listObjectVersions(call: Call): Promise<Answer> {
  const { query } = call;
  const bucket = await bucketOf(call);
  const asked = listQuery(call, 'max-keys');
  const { prefix, delimiter, max, write } = asked;
  const keyMarker = query.get('key-marker') ?? '';
  const idMarker = query.get('version-id-marker') ?? '';
  if (keyMarker === '') bucket.revalidate(prefix);
  const walk = {
    prefix,
    delimiter,
    after: keyMarker,
    afterGroup: isGroup(keyMarker, prefix, delimiter),
  };

  let rows = '';
  const groups: string[] = [];
  let count = 0;
  let last = { key: '', id: '' };
  let truncated = false;
  const full = () => {
    truncated = max > 0 && count === max;
    return count === max;
  };
  const addVersions = (key: string, versions: readonly ListedVersion[]) => {
    for (const version of versions) {
      if (full()) return false;
      rows += versionElement(key, version, write);
      last = { key, id: version.versionId };
      count++;
    }
    return true;
  };

  let open = max > 0;
  if (open && idMarker !== '') {
    const versions = await versionsOf(bucket, keyMarker);
    const at = versions.findIndex((version) => version.versionId === idMarker);
    open = addVersions(keyMarker, at < 0 ? [] : versions.slice(at + 1));
  }
  const found = open ? [...walkKeys(allKeys(bucket), walk)].slice(0, max + 1) : [];
  for (const each of found) {
    if ('key' in each) {
      if (!addVersions(each.key, await versionsOf(bucket, each.key))) break;
    } else {
      if (full()) break;
      groups.push(each.prefix);
      last = { key: each.prefix, id: '' };
      count++;
    }
  }
  const next = truncated
    ? `<NextKeyMarker>${write(last.key)}</NextKeyMarker>${element('NextVersionIdMarker', last.id)}`
    : '';
  const inner =
    element('Name', call.bucketName) +
    `<Prefix>${write(prefix)}</Prefix>` +
    `<KeyMarker>${write(keyMarker)}</KeyMarker>${element('VersionIdMarker', idMarker)}` +
    next +
    asked.delimiterElement +
    element('MaxKeys', max) +
    asked.encodingElement +
    element('IsTruncated', truncated) +
    rows +
    groupElements(groups, write);
  return { body: xmlDocument('ListVersionsResult', inner) };
}

/** Keys that have a current object or old versions. */
function allKeys(bucket: Bucket): SortedKeys {
  if (bucket.history.size === 0) return bucket.index.keys;
  const keys = new SortedKeys();
  for (const key of bucket.index.keys.from('')) keys.add(key);
  for (const key of bucket.history.keys()) keys.add(key);
  return keys;
}

/** All versions of a key, newest first. */
async function versionsOf(bucket: Bucket, key: string): Promise<ListedVersion[]> {
  const versions: ListedVersion[] = [];
  const current = await findObject(bucket, key);
  if (current !== undefined) {
    const { modified } = current;
    versions.push({ versionId: versionIdOf(current), latest: true, modified, object: current });
  }
  for (const old of bucket.history.get(key) ?? []) {
    const latest = versions.length === 0;
    const { versionId } = old;
    if (old.marker) versions.push({ versionId, latest, modified: old.modified });
    else versions.push({ versionId, latest, modified: old.record.modified, object: old.record });
  }
  return versions;
}

function versionElement(key: string, version: ListedVersion, write: WriteName): string {
  const facts = element('VersionId', version.versionId) + element('IsLatest', version.latest);
  if (version.object !== undefined) {
    return `<Version>${facts}${objectElements(version.object, write, OWNER)}</Version>`;
  }
  const modified = element('LastModified', isoTime(version.modified));
  return `<DeleteMarker><Key>${write(key)}</Key>${facts}${modified}${OWNER}</DeleteMarker>`;
}
