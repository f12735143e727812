import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a store lists: an object, a version of one, or an unfinished upload. */
interface Stored {
  readonly key: string;
  /** The ID of a version or an upload. */
  readonly id: string;
}

/** How a page of a listing is found. */
export interface Forgetting {
  /** By an entry that is looked for, as versitygw does: behind one that is gone there is nothing; or by a number. */
  readonly continues: 'behind an entry' | 'at a number';
  /** `listed` stays listed when it is deleted. */
  readonly lies?: boolean;
}

/** A store that keeps its place in a listing badly while entries are deleted. */
export interface ForgetfulStore {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** What is there. */
  readonly stored: Stored[];
  close(): void;
}

/** Entries on a page. */
const PAGE = 3;

const ROOTS = {
  versions: ['ListVersionsResult', 'Version', 'VersionId', 'version-id-marker'],
  uploads: ['ListMultipartUploadsResult', 'Upload', 'UploadId', 'upload-id-marker'],
} as const;

/** Starts a forgetful store on a free port; its only bucket is `bucket`. */
export async function startForgetfulStore(
  stored: Stored[],
  { continues, lies = false }: Forgetting,
): Promise<ForgetfulStore> {
  const remove = (isGone: (one: Stored) => boolean) => {
    const at = stored.findIndex(isGone);
    if (at >= 0 && !lies) stored.splice(at, 1);
  };
  const pageAt = (key: string, id: string | null, token: string | null) => {
    const isMarked = (one: Stored) => one.key === key && (id === null || one.id === id);
    const found = key === '' ? 0 : stored.findIndex(isMarked) + 1;
    const behind = key !== '' && found === 0 ? stored.length : found;
    const from = continues === 'at a number' ? Number(token ?? id?.slice(3) ?? 0) : behind;
    const page = stored.slice(from, from + PAGE);
    return { page, next: from + PAGE < stored.length ? from + PAGE : undefined };
  };
  const list = (query: URLSearchParams): string => {
    const token = query.get('continuation-token');
    const isNumber = continues === 'at a number';
    const marker = query.get('key-marker') ?? query.get('marker') ?? query.get('start-after');
    const key = marker ?? (isNumber ? '' : (token ?? ''));
    const kind = query.has('versions') ? 'versions' : query.has('uploads') ? 'uploads' : undefined;
    const id = kind === undefined ? null : query.get(ROOTS[kind][3]);
    const { page, next } = pageAt(key, id, token);
    const facts = `<LastModified>2026-01-01T00:00:00Z</LastModified><ETag>"${'a'.repeat(32)}"</ETag><Size>1</Size>`;
    const truncated = `<IsTruncated>${next !== undefined}</IsTruncated>`;
    if (kind === undefined) {
      const place = isNumber ? next : page.at(-1)?.key;
      const isVersion2 = query.get('list-type') === '2';
      const behind = `<NextContinuationToken>${place}</NextContinuationToken>`;
      const entries = page.map(({ key }) => `<Contents><Key>${key}</Key>${facts}</Contents>`);
      const end = next === undefined || !isVersion2 ? '' : behind;
      return `<ListBucketResult>${truncated}${end}${entries.join('')}</ListBucketResult>`;
    }
    const [root, element, name] = ROOTS[kind];
    const entries = page.map(
      ({ key, id }, index) =>
        `<${element}><Key>${key}</Key><${name}>${id}</${name}><IsLatest>${index === 0}</IsLatest>` +
        `<Initiated>2026-01-01T00:00:00Z</Initiated>${facts}</${element}>`,
    );
    const last = page.at(-1);
    const nextId = continues === 'at a number' ? `at-${next}` : last?.id;
    const markers = `<NextKeyMarker>${last?.key}</NextKeyMarker><Next${name}Marker>${nextId}</Next${name}Marker>`;
    return `<${root}>${truncated}${next === undefined ? '' : markers}${entries.join('')}</${root}>`;
  };
  const take: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://store');
    const key = decodeURIComponent(pathname.replace(/^\/bucket\/?/, ''));
    response.setHeader('x-amz-request-id', '1');
    if (request.method === 'POST') {
      const doomed = [
        ...Buffer.concat(chunks)
          .toString()
          .matchAll(/<Key>(.*?)<\/Key>(?:<VersionId>(.*?)<\/VersionId>)?/g),
      ];
      for (const [, name, id] of doomed) {
        remove((one) => one.key === name && (id === undefined || one.id === id));
      }
      const deleted = doomed.map(([whole]) => `<Deleted>${whole}</Deleted>`);
      response.end(`<DeleteResult>${deleted.join('')}</DeleteResult>`);
    } else if (request.method === 'DELETE') {
      const id = query.get('versionId') ?? query.get('uploadId');
      if (id !== null) response.setHeader('x-amz-version-id', id);
      remove((one) => one.key === key && (id === null || one.id === id));
      response.writeHead(204).end();
    } else if (request.method === 'HEAD') {
      const isThere = key === '' || stored.some((one) => one.key === key);
      response.setHeader('etag', `"${'a'.repeat(32)}"`);
      response.writeHead(isThere ? 200 : 404, { 'content-length': 1 }).end();
    } else if (query.has('versioning')) {
      const status = '<Status>Enabled</Status>';
      response.end(`<VersioningConfiguration>${status}</VersioningConfiguration>`);
    } else if (query.has('uploadId')) {
      const id = `<UploadId>${query.get('uploadId')}</UploadId>`;
      response.end(`<ListPartsResult>${id}<IsTruncated>false</IsTruncated></ListPartsResult>`);
    } else {
      // Deletions that were requested at the same time are made before.
      setTimeout(() => response.end(list(query)), 30);
    }
  };
  const server = createServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    stored,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
