import { answerOf, type Lie, type LieCall, type Lies, type WholeAnswer, withText } from './lie.ts';

const of: Lie['of'] = ['ListObjects', 'ListObjectsV2'];

/** A listing whose text is changed. */
const text = (about: string, change: (text: string, call: LieCall) => string): Lie => ({
  about,
  of,
  tell: async (call) => {
    const answer = await call.ask();
    return answer.status === 200 ? withText(answer, (each) => change(each, call)) : undefined;
  },
});

const element = (name: string) => new RegExp(`<${name}>[^<]*</${name}>|<${name}/>`);

const CONTENTS = /<Contents>.*?<\/Contents>/gs;

const isLaterPage = ({ request: { query } }: LieCall) =>
  query.has('continuation-token') || (query.get('marker') ?? '') !== '';

/** Another parameter than was asked with. */
const asked = (about: string, name: string, value: string): Lie => ({
  about,
  of,
  tell: ({ ask, request }) => {
    const url = new URL(request.url, 'http://store');
    if (!url.searchParams.has(name)) return undefined;
    url.searchParams.set(name, value);
    return ask({ url: `${url.pathname}${url.search}`, headers: { authorization: undefined } });
  },
});

/** A listing of another place. */
const elsewhere: Lie = {
  about: 'a listing of another bucket',
  of,
  tell: ({ request }) =>
    answerOf(
      200,
      `<ListBucketResult><Name>another</Name><Prefix>${request.query.get('prefix') ?? ''}</Prefix>` +
        '<KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>',
    ),
};

/** Lies about what a listing is of, and where it ends. */
export const LIST_LIES: Lies = {
  'list-end-untold': text('not a word whether more follows', (page) =>
    page.replace(element('IsTruncated'), ''),
  ),
  'list-end-odd': text('neither yes nor no to whether more follows', (page) =>
    page.replace(element('IsTruncated'), '<IsTruncated>perhaps</IsTruncated>'),
  ),
  'list-cut': text('the keys end half way, and so does the page, in good order', (page) => {
    const keys = page.match(CONTENTS) ?? [];
    const head = page.slice(0, page.indexOf('<Contents>')).replace(element('IsTruncated'), '');
    return keys.length < 2
      ? page
      : `${head}${keys.slice(0, keys.length / 2).join('')}</ListBucketResult>`;
  }),
  'list-empty-result': {
    about: 'an empty result without anything else',
    of,
    tell: () => answerOf(200, '<ListBucketResult></ListBucketResult>'),
  },
  'list-keys-missing': text('fewer keys than are counted', (page) => {
    let n = 0;
    return page.replace(CONTENTS, (key) => (n++ % 2 === 0 ? key : ''));
  }),
  'list-count-odd': text('a count that is none', (page) =>
    page.replace(element('KeyCount'), '<KeyCount>many</KeyCount>'),
  ),
  'list-no-token': text('more follows, and nothing tells from where', (page) =>
    page
      .replace(element('IsTruncated'), '<IsTruncated>true</IsTruncated>')
      .replace(element('NextContinuationToken'), '')
      .replace(CONTENTS, '')
      .replace(element('KeyCount'), '<KeyCount>0</KeyCount>')
      .replace(/<CommonPrefixes>.*?<\/CommonPrefixes>/gs, ''),
  ),
  'list-same-token': text('more follows, from the same place again', (page, { request }) => {
    const token = request.query.get('continuation-token');
    const next = `<NextContinuationToken>${token}</NextContinuationToken>`;
    return token === undefined
      ? page
      : page
          .replace(element('NextContinuationToken'), '')
          .replace(element('IsTruncated'), `<IsTruncated>true</IsTruncated>${next}`);
  }),
  'list-other-bucket': elsewhere,
  'list-other-prefix': asked('a listing of another prefix', 'prefix', 'somewhere/else/'),
  'list-other-delimiter': {
    about: 'all keys where those of one level were asked for',
    of,
    tell: ({ ask, request }) =>
      request.query.has('delimiter')
        ? ask({
            url: request.url.replace(/&?delimiter=[^&]*/, ''),
            headers: { authorization: undefined },
          })
        : undefined,
  },
  'list-page-skipped': {
    about: 'the page behind the one that was asked for',
    of: ['ListObjectsV2'],
    async tell({ ask, request }) {
      const next = element('NextContinuationToken').exec((await ask()).body.toString())?.[0];
      const token = next?.replace(/<[^>]*>/g, '');
      if (token === undefined) return undefined;
      const url = new URL(request.url, 'http://store');
      if (!url.searchParams.has('continuation-token')) return undefined;
      url.searchParams.set('continuation-token', token);
      return ask({ url: `${url.pathname}${url.search}`, headers: { authorization: undefined } });
    },
  },
  'list-page-again': {
    about: 'the first page once more where a later one was asked for, with a new token',
    of: ['ListObjectsV2'],
    async tell(call) {
      if (!isLaterPage(call)) return undefined;
      const url = new URL(call.request.url, 'http://store');
      url.searchParams.delete('continuation-token');
      const first = await call.ask({
        url: `${url.pathname}${url.search}`,
        headers: { authorization: undefined },
      });
      return withText(first, (page) =>
        page.replace(
          /<NextContinuationToken>[^<]*/,
          `<NextContinuationToken>again${call.past.size}${Math.random()}`,
        ),
      );
    },
  },
  'list-bucket-gone': {
    about: 'no such bucket, where a later page was asked for',
    of,
    tell: (call) =>
      isLaterPage(call)
        ? {
            ...answerOf(404, '<Error><Code>NoSuchBucket</Code><Message>no</Message></Error>'),
          }
        : undefined,
  },
  'list-aged': {
    about: 'an earlier answer, from a cache that says so',
    of,
    async tell({ ask, past, request }) {
      const answer: WholeAnswer = past.get(`GET ${request.url}`) ?? (await ask());
      return { ...answer, headers: { ...answer.headers, age: '3600' } };
    },
  },
  'list-doctype': text('a document that declares entities', (page) =>
    page.replace(
      /(<\?xml[^?]*\?>\s*)?<ListBucketResult/,
      '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">]><ListBucketResult',
    ),
  ),
  'list-fewer': {
    ...text('keys are left out, and the count fits', (page) => {
      const keys = page.match(CONTENTS) ?? [];
      const [first] = keys;
      const count = Number(/<KeyCount>(\d+)/.exec(page)?.[1] ?? 0);
      return first === undefined
        ? page
        : page.replace(first, '').replace(/<KeyCount>\d+/, `<KeyCount>${count - 1}`);
    }),
    isHidden: true,
  },
};
