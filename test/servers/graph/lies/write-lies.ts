import { makeContent } from '../file-content.ts';
import { isObject } from '../graph-call.ts';
import { GraphFailure } from '../graph-failure.ts';
import { itemJson } from '../item-json.ts';
import { type GraphLie, type GraphLies, otherFile, withJson } from './graph-lie.ts';

type Call = Parameters<GraphLie['tell']>[0];

const range = ({ call }: Call) =>
  /^bytes (\d+)-(\d+)\/(\d+)$/
    .exec(call.headers['content-range'] ?? '')
    ?.slice(1)
    .map(Number) ?? [];

const isLast = (call: Call) => {
  const [, last = 0, total = 0] = range(call);
  return last + 1 === total;
};

const sessionOf = ({ call: { path }, world }: Call) => {
  const id = path.split('/')[2] ?? '';
  return { id, session: world.sessions.get(id) };
};

/** Wants the bytes from here on next, whatever came. */
const expecting = (about: string, from: (call: Call) => number): GraphLie => ({
  about,
  of: ['putFragment'],
  tell(call) {
    call.ask();
    return { status: 202, json: { nextExpectedRanges: [`${from(call)}-`] } };
  },
});

const lastFragment = (
  about: string,
  tell: (call: Call) => ReturnType<GraphLie['tell']>,
): GraphLie => ({
  about,
  of: ['putFragment'],
  tell: (call) => (isLast(call) ? tell(call) : undefined),
});

/** Lies about uploads and about copies that the service makes. */
export const WRITE_LIES: GraphLies = {
  'session-without-url': {
    about: 'an upload session without an address',
    of: ['createUploadSession'],
    tell: ({ ask }) => withJson(ask(), { uploadUrl: undefined }),
  },
  'session-unknown': {
    about: 'an upload session that is not known, as soon as it is made',
    of: ['putFragment', 'getSession'],
    tell: () => ({ status: 404, json: { error: { code: 'itemNotFound', message: 'no session' } } }),
  },
  'fragment-stuck': {
    about: 'a fragment that is taken, and wanted again for ever',
    of: ['putFragment'],
    tell: (call) => ({ status: 202, json: { nextExpectedRanges: [`${range(call)[0]}-`] } }),
  },
  'fragment-back': expecting('what was sent long ago is wanted again', () => 0),
  'fragment-beyond': expecting(
    'what is behind the end is wanted',
    (call) => (range(call)[2] ?? 0) + 1,
  ),
  'fragment-skips': expecting('what comes next is not wanted', (call) => (range(call)[1] ?? 0) + 2),
  'fragment-none-wanted': {
    about: 'nothing more is wanted before all is sent',
    of: ['putFragment'],
    tell({ ask }) {
      ask();
      return { status: 202, json: { nextExpectedRanges: [] } };
    },
  },
  'fragment-done-early': {
    about: 'a file before all of it was sent',
    of: ['putFragment'],
    tell: (call) =>
      isLast(call)
        ? undefined
        : { status: 201, json: { id: 'X!1', name: 'x', size: range(call)[2] ?? 0, file: {} } },
  },
  'last-202': lastFragment('the last fragment is taken, and nothing is said of a file', (call) => {
    call.ask();
    return { status: 202, json: { nextExpectedRanges: [`${range(call)[2]}-`] } };
  }),
  'last-empty': lastFragment(
    'the last fragment is taken, and an empty object comes back',
    (call) => ({
      ...call.ask(),
      json: {},
    }),
  ),
  'last-not-done': lastFragment('the session ends without a file, and status 201', (call) => {
    call.world.sessions.delete(sessionOf(call).id);
    return { status: 201, json: {} };
  }),
  'last-old-item': lastFragment(
    'the session ends, and what was there before is told of',
    (call) => {
      const { id, session } = sessionOf(call);
      const { item, drive } = session?.address ?? {};
      call.world.sessions.delete(id);
      if (item === undefined || drive === undefined) return { status: 201, json: {} };
      return { status: 200, json: itemJson(item, { world: call.world, call: call.call, drive }) };
    },
  ),
  'bytes-changed': {
    about: 'the service keeps other bytes than it was sent',
    of: ['putFragment'],
    tell(call) {
      const { body } = call.call;
      const other = Buffer.from(body);
      if (isLast(call)) other.writeUInt8((other.at(-1) ?? 0) ^ 1, other.length - 1);
      return call.askFor({ body: other });
    },
  },
  'put-other-content': {
    about: 'the service makes a file that is not empty of one that is',
    of: ['putContent'],
    tell: (call) => call.askFor({ body: Buffer.from('not empty') }),
  },
  'copy-without-monitor': {
    about: 'a copy that nobody can ask about',
    of: ['copy'],
    tell: ({ ask }) => ({ ...ask(), headers: {} }),
  },
  'copy-not-made': monitorLie('a copy is done and was never made', (job, { world }) => {
    job.outcome = new GraphFailure(500, 'generalException', 'never made');
    return otherFile(world, job.source.item.id)?.[0].id ?? job.source.item.id;
  }),
  'copy-is-source': monitorLie('a copy is done, was never made, and is the source', (job) => {
    job.outcome = new GraphFailure(500, 'generalException', 'never made');
    return job.source.item.id;
  }),
  'copy-is-old': monitorLie(
    'a copy is done, was never made, and is what was there before',
    (job) => {
      job.outcome = new GraphFailure(500, 'generalException', 'never made');
      const { folder, name } = job.target;
      return folder.children?.get(name.toLowerCase())?.id ?? job.source.item.id;
    },
  ),
  'copy-of-another-id': {
    about: 'a copy is made, and another item is told of',
    of: ['monitor'],
    tell(call) {
      const answer = call.ask();
      const made = isObject(answer.json) ? answer.json['resourceId'] : undefined;
      if (made === undefined) return answer;
      return withJson(answer, { resourceId: otherFile(call.world, made)?.[0].id });
    },
  },
  'copy-without-id': {
    about: 'a copy is made, and no item is told of',
    of: ['monitor'],
    tell: ({ ask }) => withJson(ask(), { resourceId: undefined }),
  },
  'copy-without-status': {
    about: 'a copy of which nothing is said',
    of: ['monitor'],
    tell: () => ({ status: 200, json: { operation: 'ItemCopy' } }),
  },
  'copy-changed': {
    about: 'a copy is made of other bytes',
    of: ['monitor'],
    tell(call) {
      const answer = call.ask();
      const job = call.world.copies.get(call.call.path.split('/')[2] ?? '');
      if (job?.outcome === undefined || job.outcome instanceof GraphFailure) return answer;
      const { outcome: made, target } = job;
      const bytes = Buffer.concat(made.content?.pieces ?? []);
      if (bytes.length === 0) return answer;
      bytes.writeUInt8((bytes[0] ?? 0) ^ 1, 0);
      target.drive.write(made, makeContent(bytes), made.mimeType);
      return answer;
    },
  },
};

type Job = NonNullable<ReturnType<Call['world']['copies']['get']>>;

/** A copy that is said to be done with this id. */
function monitorLie(about: string, idOf: (job: Job, call: Call) => string): GraphLie {
  return {
    about,
    of: ['monitor'],
    tell(call) {
      const job = call.world.copies.get(call.call.path.split('/')[2] ?? '');
      if (job === undefined) return undefined;
      return { status: 200, json: { status: 'completed', resourceId: idOf(job, call) } };
    },
  };
}
