import {
  GetObjectCommand,
  type GetObjectCommandInput,
  ListObjectsV2Command,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { TestS3 } from './test-s3.ts';

/** Amazon's own client for a test's server; it tries every request once. */
export function sdkClient(
  s3: Pick<TestS3, 'endpoint' | 'accessKeyId' | 'secretAccessKey' | 'region'>,
  config: S3ClientConfig = {},
): S3Client {
  const { accessKeyId, secretAccessKey, endpoint, region } = s3;
  return new S3Client({
    ...{ endpoint, region },
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey },
    ...config,
  });
}

/** Content of an object as text (latin1, one character a byte), with the rest of the answer. */
export async function getText(client: S3Client, input: GetObjectCommandInput) {
  const answer = await client.send(new GetObjectCommand(input));
  const bytes = await answer.Body?.transformToByteArray();
  return { ...answer, text: Buffer.from(bytes ?? []).toString('latin1') };
}

/** All keys of a bucket, page by page. */
export async function listKeys(
  client: S3Client,
  bucket: string,
  pageSize = 1000,
): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, MaxKeys: pageSize, ContinuationToken: token }),
    );
    for (const { Key } of page.Contents ?? []) keys.push(Key ?? '');
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return keys;
}

/** Status and code of the refusal that a call ends in; rejects where it succeeds. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    return `${error.$metadata.httpStatusCode} ${error.name}`;
  }
  throw new Error('the call succeeded');
}
