import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SyncerError } from '../../../../src/core/errors.ts';
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
  root = 'bucket',
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
  const login = { endpoint, accessKeyId: 'a', secretAccessKey: 'b' };
  const { remote } = await openS3(login, root, { options });
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
  return { list, queries, remote };
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

  it('hides empty markers, and fails objects without a name', async () => {
    const { remote } = await storeThat(keysOf({ '/': 0, '/lead': 1, b: 1, 'd/': 0, 'd/x': 1 }));
    const { entries, failed } = await remote.listPage('', undefined, OP);
    expect(entries.map(({ path }) => path)).toEqual(['b', 'd']);
    expect(failed?.map(({ path }) => path)).toEqual(['/lead']);
    const inside = await remote.listPage('d', undefined, OP);
    expect(inside).toMatchObject({ entries: [{ path: 'd/x' }] });
    expect(inside.failed).toBeUndefined();
  });

  it('fails objects without a name below a directory, and the content of its own key', async () => {
    const { remote } = await storeThat(keysOf({ 'd/': 1, 'd//': 0, 'd//e/f': 1, 'd//y': 0 }));
    const { entries, failed } = await remote.listPage('d', undefined, OP);
    expect(entries).toEqual([]);
    expect(failed?.map(({ path, error }) => [path, (error as SyncerError).code])).toEqual(
      ['d/', 'd//e/f', 'd//y'].map((path) => [path, 'name-invalid']),
    );
    const all = ['d/', 'd//e/f', 'd//y'];
    expect((await remote.can.listTreePage?.('', undefined, OP))?.entries.map(pathOf)).toEqual(all);
    const unordered: string[] = [];
    for await (const page of remote.can.listTreeUnordered?.('', 1, OP) ?? []) {
      unordered.push(...page.map(pathOf));
    }
    expect(unordered).toEqual(all);
  });

  it('says that there are more objects without a name than a page holds', async () => {
    const keys = keysOf({ '/a': 1, '/b': 1 });
    const { remote } = await storeThat((query) =>
      query.get('prefix') === '/' ? result(['/a'], more) : keys(query),
    );
    const { failed } = await remote.listPage('', undefined, OP);
    expect(failed).toMatchObject([{ path: '/a' }, { path: '/', kind: 'dir' }]);
  });

  it('tells the content of the key of the root itself', async () => {
    const { remote } = await storeThat(keysOf({ 'dir/': 1 }), {}, 'bucket/dir');
    expect((await remote.listPage('', undefined, OP)).failed).toMatchObject([{ path: '/' }]);
    const page = await remote.can.listTreePage?.('', undefined, OP);
    expect(page?.entries).toMatchObject([{ path: '/', id: 'bucket/dir/', size: 1 }]);
  });
});

const pathOf = ({ path }: { path: string }) => path;

/** Answers of a store with these keys, of these sizes. */
function keysOf(sizes: Record<string, number>) {
  return (query: URLSearchParams): string => {
    const prefix = query.get('prefix') ?? '';
    const isByDirectory = query.get('delimiter') === '/';
    const items = Object.entries(sizes).flatMap(([key, size]) => {
      if (!key.startsWith(prefix)) return [];
      const slash = key.indexOf('/', prefix.length);
      return isByDirectory && slash >= 0
        ? `<CommonPrefixes><Prefix>${key.slice(0, slash + 1)}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;
    });
    return result([], [...new Set(items)].join(''));
  };
}

describe('listings by directory of odd stores', () => {
  const KEYS = ['a/1', 'b', 'c', 'd/1', 'd/2', 'e', 'f', 'g/1', 'h', 'i/1'];
  const ENTRIES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const upTo = (name: string) => KEYS.filter((key) => key <= name);
  const dirsOf = (keys: readonly string[]) => [
    ...new Set(keys.filter((key) => key.includes('/')).map((key) => key.replace(/[^/]*$/, ''))),
  ];
  const dirElements = (dirs: readonly string[]) =>
    dirs.map((dir) => `<CommonPrefixes><Prefix>${dir}</Prefix></CommonPrefixes>`).join('');

  /** Two files a page; `prefixes` says which prefixes a page has, whose last file is given. */
  const pagesWith = (prefixes: (last: string) => readonly string[], ordered = true) => {
    const files = KEYS.filter((key) => !key.includes('/'));
    return (query: URLSearchParams) => {
      const from = Number(query.get('continuation-token') ?? 0);
      const keys = files.slice(from, from + 2);
      const isEnd = from + 2 >= files.length;
      const next = isEnd
        ? complete
        : `${more}<NextContinuationToken>${from + 2}</NextContinuationToken>`;
      const shown = prefixes(isEnd ? 'z' : (keys.at(-1) ?? ''));
      const dirs = dirElements(ordered || from === 0 ? shown : ['Z/', ...shown.slice(1)]);
      return result(keys, next).replace('</ListBucketResult>', `${dirs}</ListBucketResult>`);
    };
  };
  const all = () => dirsOf(KEYS);
  const before = (last: string) => dirsOf(upTo(last));

  it.each([
    ['all prefixes on each page', all, '2'],
    ['the prefixes of all earlier pages', before, '2'],
    ['the prefixes of all earlier pages, and no more than asked for', before, '1000'],
  ])('takes %s once', async (_, prefixes, list_chunk) => {
    const { list } = await storeThat(pagesWith(prefixes), { list_chunk });
    expect(await list()).toEqual(ENTRIES);
  });

  it('refuses prefixes before the last page that it did not have', async () => {
    const { list } = await storeThat(pagesWith(before, false), { list_chunk: '2' });
    await expect(list()).rejects.toMatchObject({ code: 'bad-answer' });
  });

  it('goes on behind the last key where the place is not told', async () => {
    const { list, queries } = await storeThat(
      (query) => {
        const marker = query.get('marker') ?? '';
        const keys = KEYS.filter((key) => !key.includes('/') && key > marker);
        const [page, told] = [keys.slice(0, 2), keys.length > 2 ? more : complete];
        const dirs = dirElements(all());
        return result(page, told).replace('</ListBucketResult>', `${dirs}</ListBucketResult>`);
      },
      { list_chunk: '2', list_version: '1' },
    );
    expect(await list()).toEqual(ENTRIES);
    expect(queries[1]).toContain('marker=c');
  });

  it.each([true, false])(
    'shows a directory whose object is listed beside it, with its prefix: %s',
    async (withPrefix) => {
      const object = '<Contents><Key>d/</Key><Size>7</Size></Contents>';
      const { remote } = await storeThat((query) => {
        if (query.get('prefix') === 'd/')
          return result([]).replace(
            '</List',
            `${object}<Contents><Key>d/x</Key><Size>1</Size></Contents></List`,
          );
        const dirs = withPrefix ? dirElements(['d/']) : '';
        return result(['c']).replace('</List', `${object}${dirs}</List`);
      });
      const root = await remote.listPage('', undefined, OP);
      expect(root.entries.map(({ kind, path }) => [kind, path])).toEqual([
        ['file', 'c'],
        ['dir', 'd'],
      ]);
      expect(root.failed).toBeUndefined();
      const { entries, failed = [] } = await remote.listPage('d', undefined, OP);
      expect(entries.map(({ path }) => path)).toEqual(['d/x']);
      expect(failed.map(({ path, error }) => [path, (error as SyncerError).advice])).toEqual([
        ['d/', expect.stringContaining("--exclude '{{.*/}}'")],
      ]);
      await remote.close();
    },
  );
});
