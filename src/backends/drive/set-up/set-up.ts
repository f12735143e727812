import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type {
  OptionExample,
  SetUpAnswer,
  SetUpInput,
  SetUpQuestion,
} from '../../../core/options.ts';
import type { Op } from '../../../core/remote.ts';
import { formatToken, parseToken } from '../../auth/oauth-token.ts';
import type { TokenKeeper } from '../../auth/token-keeper.ts';
import type { OpenParams } from '../../backend.ts';
import { GraphCalls, listAll, openClient } from '../client/graph-client.ts';
import { badAnswer } from '../client/graph-request.ts';
import { oneForm } from '../items/graph-item.ts';

/** Where the dialogue starts, and where it returns to if something cannot be found. */
const FIRST = 'choose_type';

/** Asks which drive it is. The states are those of rclone's `onedrive`, for programs that drive its dialogue. */
export async function setUp(params: OpenParams, input: SetUpInput): Promise<SetUpAnswer> {
  if (input.state === '') return { state: FIRST };
  if (input.state === FIRST) return { state: `${FIRST}_done`, question: CONNECTION };
  if (input.state === `${FIRST}_done`) return { state: input.result };
  if (input.state === 'driveid_final_end') return { state: input.result === 'true' ? '' : FIRST };
  if (Object.hasOwn(TYPED, input.state)) {
    const question = TYPED[input.state as keyof typeof TYPED];
    const old = input.state === 'driveid' ? (params.options['drive_id'] ?? '') : '';
    return {
      state: `${input.state}_end`,
      question: old === '' ? question : { ...question, default: old },
    };
  }
  if (!Object.hasOwn(STEPS, input.state)) {
    throw new SyncerError('command-line', `invalid configuration state "${input.state}"`);
  }
  const opened = openClient(params);
  const op: Op = { signal: params.context.signal };
  try {
    const step: Step = STEPS[input.state as keyof typeof STEPS];
    const calls = new GraphCalls(opened.client, op);
    const answer = await step(calls, input.result, opened.settings.login.byApplication);
    return { ...answer, values: { ...answer.values, ...renewed(params, opened.keeper) } };
  } catch (thrown) {
    op.signal.throwIfAborted();
    const { message } = toSyncerError(thrown);
    return { state: FIRST, error: message, values: renewed(params, opened.keeper) };
  } finally {
    opened.client.close();
  }
}

type Step = (calls: GraphCalls, result: string, byApplication: boolean) => Promise<SetUpAnswer>;

const STEPS = {
  onedrive: async (calls, _, byApplication) => {
    if (byApplication) {
      throw new SyncerError('config', 'an application has no drive of its own: choose another one');
    }
    const all = (await listed(calls, '/me/drives', 'the drives of the account')).map(driveOf);
    // Some accounts do not list their default one (rclone #4068).
    const request = { method: 'GET', to: '/me/drive', doing: 'find' } as const;
    const { json } = await calls.call({ ...request, about: 'the drive of the account' });
    const own = driveOf(json);
    return choose(all.some(({ id }) => id === own.id) ? all : [...all, own]);
  },
  sharepoint: async (calls) => choose(await siteDrives(calls, 'root')),
  driveid_end: async (_, id) => choose([{ id, name: 'Chosen Drive ID', type: 'drive' }]),
  siteid_end: async (calls, id) => choose(await siteDrives(calls, id)),
  search_sites: async (calls, id) => choose(await siteDrives(calls, id)),
  url_end: (calls, url) => {
    const [, path] = /^https:\/\/[^/]*\.sharepoint\.[^/]+(\/.*)$/.exec(url) ?? [];
    return atPath(calls, path ?? `/sites/${url}`);
  },
  path_end: atPath,
  search_end: async (calls, term) => {
    const sites = await listed(calls, `/sites?search=${encodeURIComponent(term)}`, 'sites');
    if (sites.length === 0) {
      throw new SyncerError('file-not-found', `no site found for "${term}"`);
    }
    const examples = sites.map((site) => ({
      value: text(site, 'id'),
      help: `${text(site, 'displayName') || text(site, 'name')} (${text(site, 'webUrl')})`,
    }));
    const question = choice('config_site', 'Select the site you want to use.', examples);
    return { state: 'search_sites', question: { ...question, exclusive: true } };
  },
  driveid_final: async (calls, id) => {
    const to = `/drives/${encodeURIComponent(oneForm(id))}/root`;
    const { json } = await calls.call({ method: 'GET', to, doing: 'open', about: `drive ${id}` });
    idOf(json, `drive ${id}`);
    const parent = json['parentReference'];
    const type =
      typeof parent === 'object' && parent !== null ? text(parent as Json, 'driveType') : '';
    const question: SetUpQuestion = {
      name: 'config_drive_ok',
      type: 'bool',
      default: 'true',
      help: `Drive OK?\n\nFound drive "${text(json, 'name')}" of type "${type}"\nURL: ${text(json, 'webUrl')}`,
      exclusive: true,
      isConfirmation: true,
      examples: [
        { value: 'true', help: 'Yes' },
        { value: 'false', help: 'No' },
      ],
    };
    return { state: 'driveid_final_end', question, values: { drive_id: id, drive_type: type } };
  },
} satisfies Readonly<Record<string, Step>>;

/** @param path below the organisation's address: `/sites/name` */
async function atPath(calls: GraphCalls, path: string): Promise<SetUpAnswer> {
  const segments = path.split('/').map(encodeURIComponent).join('/');
  const to = `/sites/root:${segments.startsWith('/') ? segments : `/${segments}`}`;
  const { json } = await calls.call({ method: 'GET', to, doing: 'find', about: `site ${path}` });
  return choose(await siteDrives(calls, idOf(json, `site ${path}`)));
}

function choose(drives: readonly ReturnType<typeof driveOf>[]): SetUpAnswer {
  if (drives.length === 0) throw new SyncerError('file-not-found', 'no drives found');
  const examples = drives.map(({ id, name, type }) => ({ value: id, help: `${name} (${type})` }));
  const question = choice('config_driveid', 'Select drive you want to use.', examples);
  return { state: 'driveid_final', question };
}

/** The login, if it was renewed and not stored elsewhere. */
function renewed({ tokenPlace, options }: OpenParams, { current: now }: TokenKeeper) {
  if (tokenPlace !== undefined || now === undefined || now.accessToken === '') return {};
  const isSame = parseToken(options['token'] ?? '')?.accessToken === now.accessToken;
  return isSame ? {} : { token: formatToken(now) };
}

/** An example of a site's URL. */
const SITE = 'https://contoso.sharepoint.com/sites/mysite';

/** The question for the type of connection; the words are rclone's. */
const CONNECTION: SetUpQuestion = {
  name: 'config_type',
  type: 'string',
  default: 'onedrive',
  help: 'Type of connection.',
  exclusive: true,
  examples: [
    { value: 'onedrive', help: 'OneDrive Personal or Business' },
    { value: 'sharepoint', help: 'Root Sharepoint site' },
    { value: 'url', help: `Sharepoint site name or URL\nE.g. mysite or ${SITE}` },
    { value: 'search', help: 'Search for a Sharepoint site' },
    { value: 'driveid', help: 'Type in driveID (advanced)' },
    { value: 'siteid', help: 'Type in SiteID (advanced)' },
    { value: 'path', help: 'Sharepoint server-relative path (advanced)\nE.g. /teams/hr' },
  ],
};

/** Questions for a text that identifies the drive. */
const TYPED = {
  driveid: input('config_driveid_fixed', 'Drive ID.'),
  siteid: input('config_siteid', 'Site ID.'),
  url: input('config_site_url', `Site name or URL: "mysite", "${SITE}".`),
  path: input('config_sharepoint_url', 'Server-relative path of the site: "/teams/hr".'),
  search: input('config_search_term', 'What to search sites for.'),
} as const;

function input(name: string, help: string): SetUpQuestion {
  return { name, type: 'string', help, required: true };
}

function choice(name: string, help: string, examples: readonly OptionExample[]): SetUpQuestion {
  return { ...input(name, help), default: examples[0]?.value ?? '', examples };
}

type Json = Readonly<Record<string, unknown>>;

/** The document libraries of a site; `root` is the organisation's own. */
async function siteDrives(calls: GraphCalls, siteId: string) {
  const to = `/sites/${encodeURIComponent(siteId).replaceAll('%2C', ',')}/drives`;
  return (await listed(calls, to, 'the libraries of the site')).map(driveOf);
}

function listed(calls: GraphCalls, to: string, about: string) {
  return listAll<Json>(calls, to, { doing: 'list', about });
}

function driveOf(json: Json) {
  return {
    id: oneForm(text(json, 'id')),
    name: text(json, 'name'),
    type: text(json, 'driveType'),
  };
}

/** The id in a response. Throws `bad-answer` if there is none. */
function idOf(json: Json, about: string): string {
  const id = text(json, 'id');
  if (id !== '') return id;
  throw badAnswer({ doing: 'find', about }, 'the answer does not tell its id');
}

function text(json: Json, name: string): string {
  const value = json[name];
  return typeof value === 'string' ? value : '';
}
