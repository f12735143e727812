import type { Answer } from '../graph-call.ts';
import { type GraphLie, type GraphLies, ofAnother, strangerAnswer, withJson } from './graph-lie.ts';

const download = (about: string, change: (answer: Answer, bytes: Buffer) => Answer): GraphLie => ({
  about,
  of: ['download'],
  tell({ ask }) {
    const answer = ask();
    return answer.body === undefined ? answer : change(answer, Buffer.concat(answer.body));
  },
});

/** The answer with this body. */
const giving = (answer: Answer, body: Buffer): Answer => ({ ...answer, body: [body] });

/** Lies about contents, links, deletions and the drive itself. */
export const READ_LIES: GraphLies = {
  'download-page': {
    about: 'a web page in place of a content',
    of: ['download', 'getContent'],
    tell: () => strangerAnswer(200, '<html><body>Log in</body></html>'),
  },
  'download-empty': {
    about: 'status 204 in place of a content',
    of: ['download', 'getContent'],
    tell: () => strangerAnswer(204),
  },
  'download-shorter': download('a content that lacks its end, and says so', (answer, bytes) =>
    giving(answer, bytes.subarray(0, -1)),
  ),
  'download-longer': download('a content with more behind it', (answer, bytes) =>
    giving(answer, Buffer.concat([bytes, Buffer.from('x')])),
  ),
  'download-other-range': download('another range than was asked for', (answer, bytes) => ({
    ...giving(answer, bytes),
    headers: { ...answer.headers, 'content-range': `bytes 1-${bytes.length}/${bytes.length + 1}` },
  })),
  'download-range-short': download('a range that ends early, and says so', (answer, bytes) => {
    const [, from = '0', total = '0'] =
      /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers?.['content-range'] ?? '') ?? [];
    if (answer.status !== 206) return answer;
    const body = bytes.subarray(0, -1);
    const range = `bytes ${from}-${Number(from) + body.length - 1}/${total}`;
    return { ...giving(answer, body), headers: { ...answer.headers, 'content-range': range } };
  }),
  'download-whole-cut': download(
    'all of the file in place of a range, and not all of it',
    (answer, bytes) =>
      answer.status === 206
        ? { ...giving(answer, bytes.subarray(0, 1)), status: 200, headers: {} }
        : answer,
  ),
  'download-of-another': {
    about: 'the address of another content',
    of: ['listChildren', 'getItem'],
    tell(call) {
      const answer = call.ask();
      const other = ofAnother(answer, call)?.json as Record<string, unknown> | undefined;
      const name = '@microsoft.graph.downloadUrl';
      return other === undefined ? answer : withJson(answer, { [name]: other[name] });
    },
  },
  'link-without-url': {
    about: 'a link without an address',
    of: ['createLink'],
    tell: ({ ask }) => withJson(ask(), { link: {} }),
  },
  'drive-of-another': {
    about: 'another drive',
    of: ['getDrive'],
    tell: ({ ask }) => withJson(ask(), { id: 'ANOTHER' }),
  },
  'delete-missing': {
    about: 'not deleted, and the item is said to be missing',
    of: ['deleteItem', 'permanentDelete'],
    tell: () => ({ status: 404, json: { error: { code: 'itemNotFound', message: 'none' } } }),
  },
  'batch-empty': {
    about: 'a batch that says nothing of what it was asked',
    of: ['batch'],
    tell: () => ({ status: 200, json: { responses: [] } }),
  },
  'batch-of-others': {
    about: 'a batch that tells of what was not asked',
    of: ['batch'],
    tell: () => ({
      status: 200,
      json: {
        responses: [null, { id: '', status: 204 }, { id: '00', status: 204 }, { status: 204 }],
      },
    }),
  },
  'batch-200': {
    about: 'a batch that answers 200 to each deletion and makes none',
    of: ['batch'],
    tell: () => ({
      status: 200,
      json: { responses: Array.from({ length: 20 }, (_, id) => ({ id: `${id}`, status: 200 })) },
    }),
  },
};
