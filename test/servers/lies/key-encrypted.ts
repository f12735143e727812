import { hash } from 'node:crypto';
import { type Lie, type LieCall, type WholeAnswer, withHeaders } from './lie.ts';

const MD5 = /^[0-9a-f]{32}$/;

/**
 * A bucket that is encrypted by default with a key of the key service, as Amazon has them: ETags of objects look like
 * MD5s and are none, and only the answers about an object say so.
 *
 * @param isEncrypted by its path below the host; without it all are
 */
export function keyEncrypted(isEncrypted: (path: string) => boolean = () => true): Lie {
  const real = new Map<string, string>();
  const shown = (etag: string) => {
    if (!MD5.test(etag)) return etag;
    const other = hash('md5', `encrypted ${etag}`);
    real.set(other, etag);
    return other;
  };
  const isOne = (path: string) => isEncrypted(decodeURIComponent(path.split('?')[0] ?? ''));
  const ofObject = (answer: WholeAnswer): WholeAnswer => {
    const etag = answer.headers['etag'];
    return withHeaders(answer, {
      ...(etag === undefined ? {} : { etag: `"${shown(etag.replaceAll('"', ''))}"` }),
      'x-amz-server-side-encryption': 'aws:kms',
    });
  };
  const inText = ({ body, ...answer }: WholeAnswer, change: (text: string) => string) => ({
    ...answer,
    body: Buffer.from(change(body.toString('utf8'))),
  });
  const hidden = (text: string) =>
    text.replace(
      /(<ETag>(?:&quot;|"))([0-9a-f]{32})/g,
      (_, before, etag) => `${before}${shown(etag)}`,
    );
  const asked = ({ request }: LieCall) => {
    const headers = Object.entries(request.headers)
      .filter(([name]) => /if-(none-)?match/.test(name))
      .map(([name, value]) => [
        name,
        String(value).replace(/[0-9a-f]{32}/g, (etag) => real.get(etag) ?? etag),
      ]);
    return { headers: Object.fromEntries(headers) };
  };
  return {
    about: 'a bucket that is encrypted by default',
    of: [
      ...(['ListObjectsV2', 'ListObjects', 'PutObject', 'HeadObject', 'GetObject'] as const),
      ...(['CopyObject', 'DeleteObject'] as const),
    ],
    async tell(call) {
      const { operation, url } = call.request;
      const answer = await call.ask(asked(call));
      if (answer.status >= 300 || operation === 'DeleteObject') return answer;
      if (!operation.startsWith('List'))
        return !isOne(url)
          ? answer
          : operation === 'CopyObject'
            ? inText(ofObject(answer), hidden)
            : ofObject(answer);
      const bucket = url.split('?')[0];
      return inText(answer, (text) =>
        text.replace(/<Contents>.*?<\/Contents>/gs, (contents) => {
          const key = /<Key>(.*?)<\/Key>/.exec(contents)?.[1] ?? '';
          return isOne(`${bucket}/${key}`) ? hidden(contents) : contents;
        }),
      );
    },
  };
}
