import type { IncomingHttpHeaders } from 'node:http';
import { child, childrenNamed, childText } from '../../../backends/s3-protocol/read-xml.ts';
import { compareNames } from '../../../core/name-order.ts';
import { receiveXml } from '../body/payload.ts';
import type { Answer } from '../wire/answer.ts';
import { element, S3Error, xmlDocument } from '../wire/s3-error.ts';
import { parseQuery } from '../wire/uri-encoding.ts';
import { type Call, header } from './call.ts';
import { changeVersion, findVersion, placeOf } from './get-object.ts';

type Tags = Readonly<Record<string, string>>;

/** The tags of a new object, from `x-amz-tagging` (`a=1&b=2`). */
export function tagsOfHeader(headers: IncomingHttpHeaders): Tags | undefined {
  const text = header(headers, 'x-amz-tagging');
  return text === undefined ? undefined : checkTags(parseQuery(text));
}

function checkTags(pairs: readonly (readonly [name: string, value: string])[]): Tags {
  if (pairs.length > 10) {
    throw new S3Error('InvalidTag', { message: 'Object tags cannot be greater than 10' });
  }
  for (const [key, value] of pairs) {
    if (key === '' || [...key].length > 128 || [...value].length > 256) {
      throw new S3Error('InvalidTag');
    }
  }
  const tags = Object.fromEntries(pairs);
  if (Object.keys(tags).length < pairs.length) {
    throw new S3Error('InvalidTag', { message: 'Cannot provide multiple Tags with the same key' });
  }
  return tags;
}

/** The tags of an object. */
export async function getObjectTagging(call: Call): Promise<Answer> {
  const { tags = {} } = await findVersion(await placeOf(call));
  const set = Object.entries(tags)
    .sort(([a], [b]) => compareNames(a, b))
    .map(([key, value]) => `<Tag>${element('Key', key)}${element('Value', value)}</Tag>`);
  return { body: xmlDocument('Tagging', `<TagSet>${set.join('')}</TagSet>`) };
}

/** Replaces the tags of an object. */
export async function putObjectTagging(call: Call): Promise<Answer> {
  const set = child(await receiveXml(call.payload()), 'TagSet');
  if (set === undefined) throw new S3Error('MalformedXML');
  const pairs = childrenNamed(set, 'Tag').map(
    (tag) => [childText(tag, 'Key') ?? '', childText(tag, 'Value') ?? ''] as const,
  );
  return changeTags(call, checkTags(pairs), 200);
}

/** Deletes all tags of an object. */
export async function deleteObjectTagging(call: Call): Promise<Answer> {
  return changeTags(call, {}, 204);
}

async function changeTags(call: Call, tags: Tags, status: number): Promise<Answer> {
  await changeVersion(await placeOf(call), () => ({ tags }));
  return { status };
}
