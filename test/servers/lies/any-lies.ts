import type { OperationName } from '../../../src/serve/s3/operations/index.ts';
import { answerOf, type Lie, type Lies, withHeaders, withText } from './lie.ts';

/** Every request that syncer makes of a store. */
const ALL: readonly OperationName[] = [
  'ListBuckets',
  'CreateBucket',
  'HeadBucket',
  'DeleteBucket',
  'ListObjects',
  'ListObjectsV2',
  'ListMultipartUploads',
  'DeleteObjects',
  'GetObject',
  'HeadObject',
  'PutObject',
  'CopyObject',
  'DeleteObject',
  'CreateMultipartUpload',
  'UploadPart',
  'UploadPartCopy',
  'CompleteMultipartUpload',
  'AbortMultipartUpload',
];

const without = (...left: readonly OperationName[]) => ALL.filter((name) => !left.includes(name));

const PAGE = '<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>Log in</body></html>';

const ERROR =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>no</Message></Error>';

const instead = (about: string, answer: ReturnType<typeof answerOf>, of = ALL): Lie => ({
  about,
  of,
  doesNothing: true,
  tell: () => answer,
});

/** Lies that can be told about any request: the store is not even asked. */
export const ANY_LIES: Lies = {
  'html-200': instead('a web page with status 200', answerOf(200, PAGE, 'text/html')),
  'html-untyped': instead('a web page that is not called one', answerOf(200, PAGE, 'text/plain')),
  'empty-200': instead('status 200 and nothing else', answerOf(200)),
  'empty-204': instead(
    'status 204 and nothing else, where S3 has another',
    answerOf(204),
    without('DeleteObject', 'DeleteBucket', 'AbortMultipartUpload'),
  ),
  'empty-202': instead('status 202 and nothing else', answerOf(202)),
  'error-200': instead('an error document with status 200', answerOf(200, ERROR)),
  'other-xml': instead('another document', answerOf(200, '<Ok/>')),
  'redirect-nowhere': instead('a redirect that leads nowhere', answerOf(302)),
  'redirect-elsewhere': {
    about: 'a redirect to another host, which would take anything',
    of: ALL,
    tell: ({ request }) =>
      withHeaders(answerOf(307), { location: `http://localhost:9${request.url}` }),
  },
  'not-modified': instead('status 304, though nothing was asked on condition', answerOf(304)),
  'html-after': {
    about: 'the store does it, and a web page comes back',
    of: without('GetObject', 'HeadObject'),
    async tell({ ask }) {
      await ask();
      return answerOf(200, PAGE, 'text/html');
    },
  },
  'document-cut': {
    about: 'the store does it, and half of its document comes back',
    of: without('GetObject', 'HeadObject', 'HeadBucket'),
    async tell({ ask }) {
      const answer = await ask();
      return withText(answer, (text) => text.slice(0, text.length / 2));
    },
  },
};
