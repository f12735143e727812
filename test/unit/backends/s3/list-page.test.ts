import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ListedPage,
  pageFromXml,
  readListPage as readBody,
  scanListPage as scanBody,
} from '../../../../src/backends/s3/xml/read-answer.ts';
import { readXml } from '../../../../src/backends/s3-protocol/read-xml.ts';

const scanListPage = (text: string): ListedPage | undefined => scanBody(Buffer.from(text));
const readListPage = (text: string): Promise<ListedPage> => readBody(Buffer.from(text));

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const ROOT = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';

function contents(key: string, more = ''): string {
  return (
    `<Contents><Key>${key}</Key><LastModified>2026-11-20T10:00:00.123Z</LastModified>` +
    `<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>17</Size>${more}` +
    '<StorageClass>STANDARD</StorageClass></Contents>'
  );
}

function page(inner: string): string {
  const end = inner.includes('IsTruncated') ? '' : '<IsTruncated>false</IsTruncated>';
  return `${HEAD}${ROOT}<Name>b</Name><Prefix/>${end}${inner}</ListBucketResult>`;
}

const KEY = {
  size: 17,
  etag: 'd41d8cd98f00b204e9800998ecf8427e',
  modifiedMs: Date.UTC(2026, 10, 20, 10, 0, 0, 123),
  storageClass: 'STANDARD',
};

/** Documents that the one-pass reader must read itself. */
const PLAIN: Record<string, string> = {
  empty: page('<KeyCount>0</KeyCount><IsTruncated>false</IsTruncated>'),
  'version 2': page(
    `<KeyCount>2</KeyCount><IsTruncated>true</IsTruncated><NextContinuationToken>a/b+=</NextContinuationToken>${contents('a')}${contents('b/c')}`,
  ),
  'version 1': page(
    `<Marker></Marker><NextMarker>b%2F</NextMarker><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>${contents('a%0A')}`,
  ),
  owner: page(contents('k', '<Owner><ID>i</ID><DisplayName>a &lt;b&gt;</DisplayName></Owner>')),
  'unknown elements': page(
    `<Odd>1</Odd>${contents('k', '<ChecksumAlgorithm>CRC32</ChecksumAlgorithm><Empty/>')}`,
  ),
  prefixes: page(
    '<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>b &amp; c/</Prefix></CommonPrefixes>',
  ),
  'white space': `\n${page(`\n  ${contents(' spaces kept ').replaceAll('><', '>\n\t<')}\n`)}\n`,
  entities: page(contents('&lt;&#x41;&#66;&apos;&quot;&amp;amp;&#x1F600;&nbsp;')),
  'no declaration': page(contents('k')).slice(HEAD.length),
};

/** Documents that only a full parser reads. */
const ODD: Record<string, string> = {
  CDATA: page(contents('<![CDATA[a <&> b]]>')),
  'CDATA that looks like an end': page(
    contents('k', '<Owner><ID><![CDATA[</Owner>]]></ID></Owner>'),
  ),
  'keys in another element': page(`<Odd>${contents('a')}${contents('b')}</Odd>`),
  comments: page(`<!-- <Contents> -->${contents('k')}`),
  'prefixed names': page('').replaceAll(/<(\/?)(\w)/g, '<$1s3:$2'),
  attributes: page(contents('k').replace('<Key>', '<Key a="b">')),
  'spaces in end tags': page(contents('k').replace('</Key>', '</Key >')),
};

describe('scanListPage', () => {
  for (const [name, document] of Object.entries(PLAIN)) {
    it(`reads what the full parser reads: ${name}`, async () => {
      const scanned = scanListPage(document);
      expect(scanned).toBeDefined();
      expect(scanned).toEqual(pageFromXml(await readXml(document)));
    });
  }

  for (const [name, document] of Object.entries(PLAIN)) {
    it(`has the same keys and sizes where only sizes are wanted: ${name}`, async () => {
      const sizes = scanBody(Buffer.from(document), true);
      const whole = pageFromXml(await readXml(document));
      const sizeOf = ({ key, size }: ListedPage['keys'][number]) => ({ key, size });
      expect({ ...sizes, keys: sizes?.keys.map(sizeOf) }).toEqual({
        ...whole,
        keys: whole.keys.map(sizeOf),
      });
    });
  }

  it('skips what sizes do not need', () => {
    const [key] = scanBody(Buffer.from(PLAIN['version 2'] ?? ''), true)?.keys ?? [];
    expect(key).toEqual({ key: 'a', size: 17, etag: '', modifiedMs: undefined, storageClass: '' });
  });

  for (const [name, document] of Object.entries(ODD)) {
    it(`leaves to the full parser: ${name}`, async () => {
      expect(scanListPage(document)).toBeUndefined();
      expect(await readListPage(document)).toBeDefined();
    });
  }

  it('reads every part of a key', () => {
    expect(scanListPage(PLAIN['version 2'] ?? '')).toMatchObject({
      keys: [
        { key: 'a', ...KEY },
        { key: 'b/c', ...KEY },
      ],
      prefixes: [],
      truncated: true,
      nextToken: 'a/b+=',
      nextMarker: undefined,
      urlEncoded: false,
    });
  });

  it('resolves entities and keeps spaces', async () => {
    const keysOf = (name: string) => scanListPage(PLAIN[name] ?? '')?.keys.map(({ key }) => key);
    expect(keysOf('entities')).toEqual(['<AB\'"&amp;😀&nbsp;']);
    expect(keysOf('white space')).toEqual([' spaces kept ']);
    const odd = await readListPage(ODD['CDATA'] ?? '');
    expect(odd.keys.map(({ key }) => key)).toEqual(['a <&> b']);
  });

  it('never reads a document that was cut', () => {
    const whole = PLAIN['version 2'] ?? '';
    for (let end = 0; end < whole.length; end++) {
      expect(scanListPage(whole.slice(0, end))).toBeUndefined();
      expect(scanBody(Buffer.from(whole.slice(0, end)), true)).toBeUndefined();
    }
  });

  it('reads long pages in pieces, also with keys of several bytes', async () => {
    for (const name of ['a', 'ü', '€', '😀', 'a &amp; b']) {
      const keys = Array.from({ length: 1000 }, (_, n) => contents(`${name.repeat(n % 7)}${n}`));
      const prefix = '<CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>';
      for (const document of [
        page(keys.join('')),
        page(`${prefix}${keys.join('\n')}${prefix}`),
        page(keys.toSpliced(500, 0, prefix).join('')),
      ]) {
        const scanned = scanListPage(document);
        expect(scanned?.keys).toHaveLength(1000);
        expect(scanned).toEqual(pageFromXml(await readXml(document)));
      }
    }
  });

  it.each([
    ['2026-02-28T23:59:59.999Z', Date.UTC(2026, 1, 28, 23, 59, 59, 999)],
    ['1969-12-31T00:00:00.001Z', Date.UTC(1969, 11, 31, 0, 0, 0, 1)],
    ['2026-13-01T00:00:00.000Z', undefined],
    ['2026-01-01T10:60:00.000Z', undefined],
    ['2026-01-01T10:00:00+02:00', Date.UTC(2026, 0, 1, 8)],
    ['', undefined],
  ])('reads the time %s', (text, expected) => {
    const document = page(contents('k') + contents('l'));
    const scanned = scanListPage(document.replaceAll('2026-11-20T10:00:00.123Z', text));
    expect(scanned?.keys.map(({ modifiedMs }) => modifiedMs)).toEqual([expected, expected]);
  });

  it('agrees with the full parser on any keys', async () => {
    const escaped = (text: string) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
    const key = fc.string({ unit: 'grapheme', minLength: 1 }).map(escaped);
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 5 }), async (keys) => {
        const document = page(keys.map((name) => contents(name)).join(''));
        expect(scanListPage(document)).toEqual(pageFromXml(await readXml(document)));
      }),
      { numRuns: 50 },
    );
  });
});

describe('readListPage', () => {
  it('rejects what is no listing', async () => {
    for (const document of ['', 'hello', '<html><body>hi</body></html>', '<Error/>']) {
      await expect(readListPage(document)).rejects.toMatchObject({ code: 'bad-answer' });
    }
  });
});
