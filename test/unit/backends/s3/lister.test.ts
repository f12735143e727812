import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { OP, openS3 } from '../../../support/open-s3.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A store that answers listings as told; gives a remote on it and the queries that came. */
async function storeThat(
  answer: (query: URLSearchParams) => string | { status: number; code: string },
  options: Record<string, string> = {},
) {
  const queries: string[] = [];
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    queries.push([...searchParams].map(([name, value]) => `${name}=${value}`).join('&'));
    const answered = answer(searchParams);
    const isPage = typeof answered === 'string';
    response.statusCode = isPage ? 200 : answered.status;
    response.end(isPage ? answered : `<Error><Code>${answered.code}</Code></Error>`);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { remote } = await openS3({ endpoint, accessKeyId: 'a', secretAccessKey: 'b' }, 'bucket', {
    options,
  });
  const list = async () => {
    const paths: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await remote.listPage('', cursor, OP);
      paths.push(...page.entries.map(({ path }) => path));
      cursor = page.cursor;
    } while (cursor !== undefined);
    await remote.close();
    return paths;
  };
  return { list, queries };
}

const complete = '<IsTruncated>false</IsTruncated>';
const result = (keys: string[], told = '') =>
  `<ListBucketResult>${told.includes('IsTruncated') ? told : complete + told}${keys
    .map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
    .join('')}</ListBucketResult>`;
const more = '<IsTruncated>true</IsTruncated>';

describe('Lister', () => {
  it('goes on with version 1 where the store ignores version 2', async () => {
    const { list, queries } = await storeThat((query) =>
      query.has('marker') ? result(['c']) : result(['a', 'b'], more),
    );
    expect(await list()).toEqual(['a', 'b', 'c']);
    expect(queries[0]).toContain('list-type=2');
    expect(queries[1]).toContain('marker=b');
    expect(queries[1]).not.toContain('list-type');
  });

  it('asks with version 1 where version 2 is refused', async () => {
    const { list } = await storeThat((query) =>
      query.has('list-type') ? { status: 501, code: 'NotImplemented' } : result(['a']),
    );
    expect(await list()).toEqual(['a']);
  });

  it('does without URL encoding where that is refused', async () => {
    const { list } = await storeThat((query) =>
      query.has('encoding-type') ? { status: 400, code: 'InvalidArgument' } : result(['a%20b']),
    );
    expect(await list()).toEqual(['a%20b']);
  });

  it('decodes only what the store says it encoded', async () => {
    const encoded = '<EncodingType>url</EncodingType>';
    expect(await (await storeThat(() => result(['a%2Bb+c'], encoded))).list()).toEqual(['a+b c']);
    server?.close();
    expect(await (await storeThat(() => result(['a%2Bb+c']))).list()).toEqual(['a%2Bb+c']);
  });

  it('asks for URL encoding after all where the plain listing is no XML', async () => {
    const { list } = await storeThat(
      (query) =>
        query.has('encoding-type')
          ? result(['a%0B'], '<EncodingType>url</EncodingType>')
          : '<ListBucketResult><Contents><Key>a\u000b</Contents>',
      { list_url_encode: 'false' },
    );
    expect(await list()).toEqual(['a␋']);
  });

  it('obeys the versions and encodings that are set', async () => {
    const options = { list_version: '1', list_url_encode: 'false', list_chunk: '5' };
    const { list, queries } = await storeThat(() => result(['a']), options);
    await list();
    expect(queries).toEqual(['delimiter=/&max-keys=5&prefix=']);
  });

  it('fails rather than to list the same page for ever, or to lose the rest', async () => {
    const again = await storeThat(() => result(['a'], more));
    await expect(again.list()).rejects.toMatchObject({ code: 'bad-answer' });
    server?.close();
    const nothing = await storeThat(() => result([], more));
    await expect(nothing.list()).rejects.toMatchObject({ code: 'bad-answer' });
  });

  it('hides markers of directories and nameless ones', async () => {
    const prefixes = ['a/', '/'].map(
      (p) => `<CommonPrefixes><Prefix>${p}</Prefix></CommonPrefixes>`,
    );
    const { list } = await storeThat(() => result(['b'], prefixes.join('')));
    expect(await list()).toEqual(['a', 'b']);
  });
});
