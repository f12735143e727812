import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encodeCrc32 } from '../../../src/backends/s3/checksums.ts';
import type { Lie, LieCall, Lies, WholeAnswer } from './lie.ts';
import { withText } from './lie.ts';
import { UNSIGNED } from './write-lies.ts';

const of: Lie['of'] = ['UploadPartCopy'];

const RANGE = 'x-amz-copy-source-range';
const IF_MATCH = 'x-amz-copy-source-if-match';
const ETAG = /<ETag>[^<]*<\/ETag>/;
const SUM = /<ChecksumCRC32>[^<]*<\/ChecksumCRC32>/;

const etagElement = (etag: string) => `<ETag>"${etag}"</ETag>`;

/** Another range of the same length, from a byte before or after. `undefined` if the source has none. */
async function copyOther({ ask, request }: LieCall): Promise<WholeAnswer | undefined> {
  const range = String(request.headers[RANGE]);
  for (const by of [-1, 1]) {
    const other = range.replace(/\d+/g, (position) => String(Number(position) + by));
    const copied = await ask({ headers: { ...UNSIGNED, [RANGE]: other } });
    if (copied.status === 200) return copied;
  }
  return undefined;
}

/** Reads from the source: the range that is to be copied, or (by HEAD) what is known of the whole. */
function readSource({ ask, request }: LieCall, method: 'GET' | 'HEAD'): Promise<WholeAnswer> {
  const url = `/${String(request.headers['x-amz-copy-source']).replace(/^\//, '')}`;
  const range = method === 'GET' ? (request.headers[RANGE] as string | undefined) : undefined;
  const source = { 'x-amz-copy-source': undefined, [IF_MATCH]: undefined, [RANGE]: undefined };
  return ask({ method, url, body: Buffer.alloc(0), headers: { ...UNSIGNED, ...source, range } });
}

/**
 * Copied parts whose ETags in the response are not those of the store. When the upload is completed, the store takes
 * these for its own, if the lie is told about that request, too.
 *
 * @param copy what the store does, and what it responds with
 */
function otherEtag(
  about: string,
  copy: (call: LieCall) => Promise<{ done: WholeAnswer; shown: WholeAnswer } | undefined>,
): Lie {
  const real = new Map<string, string>();
  const complete = ({ ask, body, request }: LieCall) => {
    const id = request.query.get('uploadId');
    const text = body.toString();
    const changed = text.replace(/<Part>.*?<\/Part>/gs, (part) => {
      const etag = real.get(`${id} ${/<PartNumber>(\d+)/.exec(part)?.[1]}`);
      return etag === undefined ? part : part.replace(ETAG, etag).replace(SUM, '');
    });
    if (changed === text) return undefined;
    const headers = { ...UNSIGNED, 'content-md5': undefined, 'x-amz-content-sha256': undefined };
    return ask({ headers, body: Buffer.from(changed) });
  };
  return {
    about,
    of: ['UploadPartCopy', 'CompleteMultipartUpload'],
    async tell(call) {
      const { operation, query } = call.request;
      if (operation === 'CompleteMultipartUpload') return complete(call);
      const copied = await copy(call);
      const etag = ETAG.exec(copied?.done.body.toString() ?? '')?.[0];
      if (etag === undefined) return undefined;
      real.set(`${query.get('uploadId')} ${query.get('partNumber')}`, etag);
      return copied?.shown;
    },
  };
}

/** A part is copied as it should be, and the response has another ETag. */
const shownAs = (about: string, etagFor: (call: LieCall) => Promise<string> | string): Lie =>
  otherEtag(about, async (call) => {
    const done = await call.ask();
    const etag = await etagFor(call);
    const shown = withText(done, (text) => text.replace(ETAG, etagElement(etag)));
    return shown && { done, shown };
  });

/** Lies about parts that are copied inside the store. */
export const PART_COPY_LIES: Lies = {
  'part-copy-shorter': {
    about: 'a part but the first is copied without its last byte, and its ETag comes back',
    of,
    tell({ ask, request }) {
      // The store refuses parts that are too small, but for the last one.
      if (request.query.get('partNumber') === '1') return undefined;
      const range = String(request.headers['x-amz-copy-source-range']);
      const shorter = range.replace(/\d+$/, (last) => String(Number(last) - 1));
      return ask({ headers: { ...UNSIGNED, 'x-amz-copy-source-range': shorter } });
    },
  },
  'part-copy-other-bytes': {
    about: 'a part is copied from another place of the source, and its ETag comes back',
    of,
    isHidden: true,
    tell: copyOther,
  },
  'part-copy-lying-etag': {
    ...otherEtag(
      'a part is copied from another place, and the ETag and CRC-32 of the right one come back',
      async (call) => {
        const { body } = await readSource(call, 'GET');
        const done = await copyOther(call);
        const shown =
          done &&
          withText(done, (text) =>
            text
              .replace(ETAG, etagElement(hash('md5', body)))
              .replace(SUM, `<ChecksumCRC32>${encodeCrc32(crc32(body))}</ChecksumCRC32>`),
          );
        return shown && { done, shown };
      },
    ),
    isHidden: true,
  },
  'copy-ignores-if-match': {
    about: 'a part is copied although the source is not the object of the condition',
    of,
    isHidden: true,
    tell: ({ ask, request }) =>
      IF_MATCH in request.headers
        ? ask({ headers: { ...UNSIGNED, [IF_MATCH]: undefined } })
        : undefined,
  },
  'part-copy-no-sum': {
    about: 'a part is copied, and no CRC-32 comes back',
    of,
    tell: async ({ ask }) => withText(await ask(), (text) => text.replace(SUM, '')),
  },
  'part-copy-odd-etag': shownAs(
    'a part is copied, and an ETag that is no MD5 comes back',
    ({ request }) => `${hash('md5', 'odd')}-${request.query.get('partNumber')}`,
  ),
  'part-copy-old-etag': shownAs(
    'a part is copied, and the ETag of the whole source comes back',
    async (call) => (await readSource(call, 'HEAD')).headers['etag']?.replaceAll('"', '') ?? 'none',
  ),
};
