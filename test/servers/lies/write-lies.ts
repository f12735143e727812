import { hash } from 'node:crypto';
import {
  answerOf,
  type ChangedRequest,
  type Lie,
  type LieCall,
  type Lies,
  type WholeAnswer,
  withHeaders,
  withText,
} from './lie.ts';

/** The store needs no signature. */
export const UNSIGNED = { authorization: undefined };

/** Headers by which a store would notice that a body is not what was sent. */
const PROTECTION = {
  ...UNSIGNED,
  'content-md5': undefined,
  'x-amz-content-sha256': undefined,
  'x-amz-checksum-crc32': undefined,
  'x-amz-sdk-checksum-algorithm': undefined,
};

/** A body that is not what was sent; `undefined` for one that cannot be changed. */
function otherBody({ body, request }: LieCall): Buffer | undefined {
  if (body.length === 0 || 'x-amz-trailer' in request.headers) return undefined;
  const other = Buffer.from(body);
  other[0] = (other[0] ?? 0) ^ 1;
  return other;
}

function otherBytes(call: LieCall): Promise<WholeAnswer> | undefined {
  const body = otherBody(call);
  return body && call.ask({ headers: PROTECTION, body });
}

const put = (about: string, tell: Lie['tell']): Lie => ({ about, of: ['PutObject'], tell });

const unstored = (about: string, tell: Lie['tell']): Lie => ({
  ...put(about, tell),
  doesNothing: true,
});

const altered =
  (alter: (answer: WholeAnswer) => WholeAnswer | undefined) =>
  async ({ ask }: LieCall) =>
    alter(await ask());

const etag = (change: (etag: string) => string | undefined) =>
  altered((answer) => withHeaders(answer, { etag: change(answer.headers['etag'] ?? '') }));

const look: ChangedRequest = { method: 'HEAD', body: Buffer.alloc(0), headers: PROTECTION };

/** Lies about writing: uploads, uploads in parts, copies. */
export const WRITE_LIES: Lies = {
  'put-no-etag': put(
    'stored, and no ETag comes back',
    etag(() => undefined),
  ),
  'put-wrong-etag': put(
    'stored, and the ETag of something else comes back',
    etag(() => `"${hash('md5', 'something else')}"`),
  ),
  'put-parts-etag': unstored('not stored, and the ETag of an upload in parts comes back', () =>
    withHeaders(answerOf(200), { etag: `"${hash('md5', 'parts')}-3"` }),
  ),
  'put-opaque-etag': unstored('not stored, and an ETag that is no MD5 comes back', () =>
    withHeaders(answerOf(200), { etag: 'W/"5-18d"' }),
  ),
  'put-key-etag': unstored('not stored, and the answer tells of an encryption by a key', () =>
    withHeaders(answerOf(200), {
      etag: `"${hash('md5', 'encrypted')}"`,
      'x-amz-server-side-encryption': 'aws:kms',
    }),
  ),
  'put-weak-etag': put(
    'stored, and the ETag comes back as a weak one',
    etag((told) => `W/${told}`),
  ),
  'put-bare-etag': put(
    'stored, and the ETag comes back without quotes',
    etag((told) => told.replaceAll('"', '')),
  ),
  'put-old-etag': unstored(
    'not stored, and the ETag of the old object comes back',
    async ({ ask }) => {
      const old = await ask(look);
      return old.status === 200
        ? withHeaders(answerOf(200), { etag: old.headers['etag'] })
        : undefined;
    },
  ),
  'put-other-bytes': put('other bytes are stored, and their ETag comes back', otherBytes),
  'put-other-bytes-silent': put('other bytes are stored, and no ETag comes back', async (call) => {
    const answer = await otherBytes(call);
    return answer && withHeaders(answer, { etag: undefined });
  }),
  'put-other-bytes-opaque': put(
    'other bytes are stored, and an ETag that is no MD5 comes back',
    async (call) => {
      const answer = await otherBytes(call);
      return answer && withHeaders(answer, { etag: '"abc"' });
    },
  ),
  'put-unstored': {
    ...put('not stored, and the right ETag comes back', ({ body, request }) =>
      'x-amz-trailer' in request.headers
        ? undefined
        : withHeaders(answerOf(200), { etag: `"${hash('md5', body)}"` }),
    ),
    isHidden: true,
  },
  'part-other-bytes': {
    about: 'other bytes are stored as a part, and their ETag comes back',
    of: ['UploadPart'],
    tell: otherBytes,
  },
  'part-no-etag': {
    about: 'a part is stored, and no ETag comes back',
    of: ['UploadPart'],
    tell: etag(() => undefined),
  },
  'begin-no-id': {
    about: 'an upload in parts is begun without an id',
    of: ['CreateMultipartUpload'],
    tell: altered((answer) =>
      withText(answer, (text) => text.replace(/<UploadId>.*<\/UploadId>/, '')),
    ),
  },
  'complete-no-etag': {
    about: 'completed, and no ETag comes back',
    of: ['CompleteMultipartUpload'],
    tell: altered((answer) => withText(answer, (text) => text.replace(/<ETag>.*<\/ETag>/, ''))),
  },
  'complete-lost': {
    about: 'completed, and an error of the store comes back',
    of: ['CompleteMultipartUpload'],
    async tell({ ask }) {
      const answer = await ask();
      return answer.status === 200 ? answerOf(500) : answer;
    },
  },
  'complete-other-etag': {
    about: 'completed, and the ETag of something else comes back',
    of: ['CompleteMultipartUpload'],
    tell: altered((answer) =>
      withText(answer, (text) => text.replace(/<ETag>.*<\/ETag>/, '<ETag>"0123-9"</ETag>')),
    ),
  },
  'complete-too-small': {
    about: 'not completed, because a part is too small',
    of: ['CompleteMultipartUpload'],
    doesNothing: true,
    tell: () =>
      answerOf(400, '<Error><Code>EntityTooSmall</Code><Message>too small</Message></Error>'),
  },
  'complete-opaque-etag': {
    about: 'not completed, and an ETag that no parts make comes back',
    of: ['CompleteMultipartUpload'],
    tell: () =>
      answerOf(
        200,
        '<CompleteMultipartUploadResult><ETag>"abc"</ETag></CompleteMultipartUploadResult>',
      ),
  },
  'complete-other-checksum': {
    about: 'completed, and the CRC-32 of something else comes back',
    of: ['CompleteMultipartUpload'],
    tell: altered((answer) =>
      withText(answer, (text) =>
        text.replace(
          /<ChecksumCRC32>.*<\/ChecksumCRC32>/,
          '<ChecksumCRC32>y/Q5Jg==</ChecksumCRC32>',
        ),
      ),
    ),
  },
  'complete-other-type': {
    about: 'completed, and the CRC-32 of all bytes is called one of the parts',
    of: ['CompleteMultipartUpload'],
    tell: altered((answer) =>
      withText(answer, (text) => text.replace('>FULL_OBJECT<', '>COMPOSITE<')),
    ),
  },
  'copy-no-etag': {
    about: 'copied, and no ETag comes back',
    of: ['CopyObject', 'UploadPartCopy'],
    tell: altered((answer) => withText(answer, (text) => text.replace(/<ETag>.*<\/ETag>/, ''))),
  },
  'copy-unmade': {
    about: 'not copied, and the ETag of the source comes back',
    doesNothing: true,
    of: ['CopyObject'],
    async tell({ ask, request }) {
      const url = String(request.headers['x-amz-copy-source']);
      const { headers } = await ask({ ...look, url, headers: { ...PROTECTION, ...NO_COPY } });
      return answerOf(200, `<CopyObjectResult><ETag>${headers['etag']}</ETag></CopyObjectResult>`);
    },
  },
  'copy-other-etag': {
    about: 'not copied, and the ETag of something else comes back',
    doesNothing: true,
    of: ['CopyObject'],
    tell: () =>
      answerOf(
        200,
        `<CopyObjectResult><ETag>"${hash('md5', 'something else')}"</ETag></CopyObjectResult>`,
      ),
  },
  'copy-other-bytes': {
    about: 'other bytes are there after a copy, and their ETag comes back',
    of: ['CopyObject'],
    async tell({ ask, request }) {
      const answer = await ask();
      if (answer.status !== 200) return undefined;
      const reading = { ...PROTECTION, ...NO_COPY, range: undefined };
      const { body, headers: told } = await ask({ method: 'GET', headers: reading });
      if (body.length === 0) return undefined;
      body[0] = (body[0] ?? 0) ^ 1;
      const mtime = request.headers['x-amz-meta-mtime'] ?? told['x-amz-meta-mtime'];
      const kept = { ...PROTECTION, ...NO_COPY, 'x-amz-meta-mtime': mtime as string | undefined };
      const stored = await ask({ headers: kept, body });
      return withText(answer, (text) =>
        text.replace(/<ETag>.*<\/ETag>/, `<ETag>${stored.headers['etag']}</ETag>`),
      );
    },
  },
};

const NO_COPY = {
  'x-amz-copy-source': undefined,
  'x-amz-copy-source-if-match': undefined,
  'x-amz-metadata-directive': undefined,
};
