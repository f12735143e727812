import { type Lie, type Lies, withText } from './lie.ts';

const CONTENTS = /<Contents>.*?<\/Contents>/gs;

/** A listing with its first key changed. */
const first = (about: string, change: (key: string) => string): Lie =>
  keys(about, (all) => all.map((key, i) => (i === 0 ? change(key) : key)));

/** A listing with other keys. */
function keys(
  about: string,
  change: (keys: readonly string[]) => readonly string[],
  needsPrefix = false,
): Lie {
  return {
    about,
    of: ['ListObjects', 'ListObjectsV2'],
    async tell({ ask, request }) {
      if (needsPrefix && !request.query.get('prefix')) return undefined;
      const answer = await ask();
      if (answer.status !== 200) return undefined;
      return withText(answer, (page) => {
        const all = page.match(CONTENTS) ?? [];
        const changed = change(all).join('');
        if (all.length === 0 || changed === all.join('')) return page;
        const begin = page.indexOf(all[0] ?? '');
        const rest = page.slice(begin).replace(CONTENTS, '');
        return page.slice(0, begin) + changed + rest;
      });
    },
  };
}

/** Lies about the keys on a page. */
export const LIST_PAGE_LIES: Lies = {
  'list-foreign-key': keys(
    'a key that does not begin with the prefix',
    (all) => all.map((key) => key.replace(/<Key>.*?<\/Key>/s, '<Key>a-stranger</Key>')).slice(0, 1),
    true,
  ),
  'list-no-key': first('a key without a name', (key) => key.replace(/<Key>.*?<\/Key>/s, '')),
  'list-no-prefix': {
    about: 'a directory without a name',
    of: ['ListObjects', 'ListObjectsV2'],
    async tell({ ask }) {
      const answer = await ask();
      if (answer.status !== 200) return undefined;
      return withText(answer, (page) =>
        page
          .replace(/<CommonPrefixes>.*?<\/CommonPrefixes>/s, '<CommonPrefixes></CommonPrefixes>')
          .replace(/<KeyCount>.*?<\/KeyCount>/, ''),
      );
    },
  },
  'list-no-size': first('a key without a size', (key) => key.replace(/<Size>.*?<\/Size>/, '')),
  'list-size-negative': first('a size below nothing', (key) =>
    key.replace(/<Size>.*?<\/Size>/, '<Size>-1</Size>'),
  ),
  'list-size-odd': first('a size that is no number', (key) =>
    key.replace(/<Size>.*?<\/Size>/, '<Size>12 KB</Size>'),
  ),
  'list-no-etag': first('a key without an ETag', (key) => key.replace(/<ETag>.*?<\/ETag>/, '')),
  'list-no-time': first('a key without a time', (key) =>
    key.replace(/<LastModified>.*?<\/LastModified>/, ''),
  ),
  'list-key-twice': keys('a key that stands twice, in place of another', (all) => [
    ...all.slice(0, -1),
    ...all.slice(0, 1),
  ]),
};
