import { receiveBytes } from '../body/receive.ts';
import { MAX_DOCUMENT } from '../body/receive-xml.ts';
import type { Answer } from '../wire/answer.ts';
import { OWNER, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call } from './call.ts';
import { findVersion } from './get-object.ts';

const ACL = `${OWNER}<AccessControlList><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>syncer</ID><DisplayName>syncer</DisplayName></Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList>`;

/** The response about access rights: owners of a key have all rights, others none. */
function aclAnswer(): Answer {
  return { body: xmlDocument('AccessControlPolicy', ACL) };
}

/** The access rights of a bucket. */
export async function getBucketAcl(call: Call): Promise<Answer> {
  await bucketOf(call);
  return aclAnswer();
}

/** Rights are accepted and change nothing, because clients send them with every bucket. */
export async function putBucketAcl(call: Call): Promise<Answer> {
  await bucketOf(call);
  await receiveBytes(call.payload(), MAX_DOCUMENT);
  return {};
}

/** The access rights of an object. */
export async function getObjectAcl(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  await findVersion(bucket, call.key, call.query.get('versionId'));
  return aclAnswer();
}

/** Rights are accepted and change nothing, as for buckets. */
export async function putObjectAcl(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  await findVersion(bucket, call.key, call.query.get('versionId'));
  await receiveBytes(call.payload(), MAX_DOCUMENT);
  return {};
}
