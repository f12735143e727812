import { hash } from 'node:crypto';
import { answerOf, type LieCall, type Lies, withText } from './lie.ts';

const DELETED = /<Deleted>.*?<\/Deleted>/gs;

/** Asks for another list of keys. */
export function askToDelete({ ask, body }: LieCall, change: (text: string) => string) {
  const changed = Buffer.from(change(body.toString('utf8')));
  const md5 = hash('md5', changed, 'base64');
  const headers = { authorization: undefined, 'x-amz-content-sha256': undefined };
  return ask({ body: changed, headers: { ...headers, 'content-md5': md5 } });
}

/** Lies about deleting. */
export const REMOVE_LIES: Lies = {
  'delete-kept-200': {
    about: 'not deleted, with status 200',
    of: ['DeleteObject', 'DeleteBucket', 'AbortMultipartUpload'],
    tell: () => answerOf(200),
  },
  'delete-kept-204': {
    about: 'not deleted, with status 204',
    of: ['DeleteObject', 'DeleteBucket', 'AbortMultipartUpload'],
    isHidden: true,
    tell: () => answerOf(204),
  },
  'delete-kept-404': {
    about: 'not deleted, and the object is said to be missing',
    of: ['DeleteObject'],
    tell: () => answerOf(404, '<Error><Code>NoSuchKey</Code></Error>'),
  },
  'delete-many-no-such-key': {
    about: 'nothing is deleted, and all keys are said to be missing',
    of: ['DeleteObjects'],
    tell: ({ body }) => {
      const keys = body.toString('utf8').match(/<Key>.*?<\/Key>/gs) ?? [];
      const errors = keys.map((key) => `<Error>${key}<Code>NoSuchKey</Code></Error>`);
      return answerOf(200, `<DeleteResult>${errors.join('')}</DeleteResult>`);
    },
  },
  'delete-many-empty-result': {
    about: 'nothing is deleted, and an empty result comes back',
    of: ['DeleteObjects'],
    tell: () => answerOf(200, '<DeleteResult></DeleteResult>'),
  },
  'delete-many-some': {
    about: 'every second key is left out of what is done and of what is told',
    of: ['DeleteObjects'],
    async tell(call) {
      let n = 0;
      const half = (text: string) =>
        text.replace(/<Object>.*?<\/Object>/gs, (object) => (n++ % 2 === 0 ? object : ''));
      return n === 1 ? undefined : askToDelete(call, half);
    },
  },
  'delete-many-untold': {
    about: 'all are deleted, and an empty result comes back',
    of: ['DeleteObjects'],
    async tell({ ask }) {
      return withText(await ask(), (text) => text.replaceAll(DELETED, ''));
    },
  },
  'delete-many-others': {
    about: 'nothing is deleted, and other keys are told',
    of: ['DeleteObjects'],
    tell: () => answerOf(200, '<DeleteResult><Deleted><Key>another</Key></Deleted></DeleteResult>'),
  },
  'delete-many-trims': {
    about: 'white space at the ends of keys is taken away',
    of: ['DeleteObjects'],
    tell: (call) =>
      askToDelete(call, (text) =>
        text.replace(/<Key>(.*?)<\/Key>/gs, (_all, key) => {
          const plain = key.replace(/&#(\d+);/g, (_: string, n: string) =>
            String.fromCodePoint(Number(n)),
          );
          const trimmed = plain.trim() === plain ? key : plain.trim();
          return `<Key>${trimmed}</Key>`;
        }),
      ),
  },
};
