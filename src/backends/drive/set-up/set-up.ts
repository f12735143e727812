import { formatToken, parseToken } from '../../../auth/oauth-token.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { SetUpAnswer, SetUpInput } from '../../../core/options.ts';
import type { Op } from '../../../core/remote.ts';
import type { OpenParams } from '../../backend.ts';
import type { GraphClient } from '../client/graph-client.ts';
import { type OpenedClient, openClient } from '../open-client.ts';
import {
  driveAt,
  type ListedDrive,
  ownDrives,
  searchSites,
  siteDrives,
  siteIdAt,
} from './listed-drives.ts';
import { CONNECTION, isRight, TYPED, whichDrive, whichSite } from './which-drive.ts';

/** Where the dialogue starts, and where it returns to if something cannot be found. */
const FIRST = 'choose_type';

/**
 * Asks which drive it is: type of connection, way to the drive, drive. The states are those of rclone's `onedrive`,
 * so that programs that drive rclone's dialogue can drive this one.
 */
export async function setUp(params: OpenParams, input: SetUpInput): Promise<SetUpAnswer> {
  if (input.state === '') return goTo(FIRST);
  if (input.state === FIRST) return { state: `${FIRST}_done`, question: CONNECTION };
  if (input.state === `${FIRST}_done`) return goTo(input.result);
  if (input.state === 'driveid_final_end') {
    return goTo(input.result === 'true' ? '' : FIRST);
  }
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
    const answer: SetUpAnswer = await step(
      opened.client,
      input.result,
      op,
      opened.settings.login.byApplication,
    );
    return { ...answer, values: { ...answer.values, ...renewed(params, opened) } };
  } catch (thrown) {
    op.signal.throwIfAborted();
    return {
      ...goTo(FIRST),
      error: toSyncerError(thrown).message,
      values: renewed(params, opened),
    };
  } finally {
    opened.client.close();
  }
}

type Step = (
  client: GraphClient,
  result: string,
  op: Op,
  byApplication: boolean,
) => Promise<SetUpAnswer>;

const STEPS = {
  onedrive: async (client, _, op, byApplication) => {
    if (!byApplication) return choose(await ownDrives(client, op));
    throw new SyncerError('config', 'an application has no drive of its own: choose another one');
  },
  sharepoint: async (client, _, op) => choose(await siteDrives(client, 'root', op)),
  driveid_end: async (_, id) => choose([{ id, name: 'Chosen Drive ID', type: 'drive', url: '' }]),
  siteid_end: async (client, id, op) => choose(await siteDrives(client, id, op)),
  search_sites: async (client, id, op) => choose(await siteDrives(client, id, op)),
  url_end: (client, url, op) => atPath(client, pathOf(url), op),
  path_end: (client, path, op) => atPath(client, path, op),
  search_end: async (client, term, op) => {
    const sites = await searchSites(client, term, op);
    if (sites.length > 0) return { state: 'search_sites', question: whichSite(sites) };
    throw new SyncerError('file-not-found', `no site found for "${term}"`);
  },
  driveid_final: async (client, id, op) => {
    const drive = await driveAt(client, id, op);
    const values = { drive_id: id, drive_type: drive.type };
    return { state: 'driveid_final_end', question: isRight(drive), values };
  },
} satisfies Readonly<Record<string, Step>>;

async function atPath(client: GraphClient, path: string, op: Op): Promise<SetUpAnswer> {
  return choose(await siteDrives(client, await siteIdAt(client, path, op), op));
}

/** The path of an address; a bare name is that of a site. */
function pathOf(url: string): string {
  const match = /^https:\/\/[^/]*\.sharepoint\.[^/]+(\/.*)$/.exec(url);
  return match?.[1] ?? `/sites/${url}`;
}

function choose(drives: readonly ListedDrive[]): SetUpAnswer {
  if (drives.length > 0) return { state: 'driveid_final', question: whichDrive(drives) };
  throw new SyncerError('file-not-found', 'no drives found');
}

function goTo(state: string): SetUpAnswer {
  return { state };
}

/** The login, if it was renewed and not stored elsewhere. */
function renewed({ tokenPlace, options }: OpenParams, { keeper }: OpenedClient) {
  const now = keeper.current;
  if (tokenPlace !== undefined || now === undefined || now.accessToken === '') return {};
  const isSame = parseToken(options['token'] ?? '')?.accessToken === now.accessToken;
  return isSame ? {} : { token: formatToken(now) };
}
