import { hasCode, toSyncerError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import type { Op } from '../../core/remote.ts';
import { formatSizeUnit } from '../../go/byte-size.ts';
import { shellWord } from '../../system/shell-words.ts';
import { childText, type XmlElement } from '../s3-protocol/read-xml.ts';
import { askDocument } from './client/ask.ts';
import { listParts, uploadPages } from './listing/history.ts';
import type { S3Store } from './store.ts';
import { hasS3Code } from './store-error.ts';

const DAY_MS = 86_400_000;
/** The parts of each upload cost a request: of more uploads the sizes are not asked for. */
const MOST_SIZES = 100;

/** What can be found out about an account and a bucket by reading. */
export async function* inspectBucket(store: S3Store, op: Op): AsyncGenerator<Finding> {
  yield await credentials(store);
  yield addressing(store);
  const { bucket } = store.locate('');
  if (bucket === '') {
    const text = 'name a bucket to check its versioning, locks and unfinished uploads';
    yield { check: 'bucket', verdict: 'unknown', text };
    return;
  }
  for (const look of [versioning, objectLock, lifecycle, unfinishedUploads]) {
    yield await look(store, op);
  }
}

async function credentials({ client, settings }: S3Store): Promise<Finding> {
  const check = 'credentials';
  const { remote, role, accessKeyId, envAuth, ibm } = settings;
  try {
    const found = await client.credentials.get(client.context.clock.now());
    if (found === undefined) {
      const mend = `syncer config edit ${shellWord(remote)}`;
      return { check, verdict: 'warning', text: 'none: requests are anonymous', mend };
    }
    const keys = accessKeyId !== '' ? 'access_key_id of the remote' : 'found by env_auth';
    const own = ibm === undefined ? keys : 'a token by ibm_api_key';
    const text = role === undefined ? own : `${own}, with the role ${role.arn}`;
    return { check, verdict: 'ok', text };
  } catch (thrown) {
    const mend = envAuth ? 'aws configure list' : `syncer config edit ${shellWord(remote)}`;
    return { check, verdict: 'failed', text: toSyncerError(thrown).message, mend };
  }
}

function addressing({ settings }: S3Store): Finding {
  const { region, endpoint } = settings;
  const style = endpoint.pathStyle ? 'path style' : 'virtual-host style';
  const text = `region ${region === '' ? 'us-east-1' : region}, ${style}`;
  return { check: 'addressing', verdict: 'ok', text };
}

/** A document about a bucket; `undefined` if the error `missing` says that there is none. */
async function ask(
  store: S3Store,
  what: { readonly parameter: string; readonly root: string; readonly missing?: string },
  op: Op,
): Promise<XmlElement | undefined> {
  const { parameter, root, missing = '' } = what;
  const { bucket } = store.locate('');
  const query = [[parameter, '']] as const;
  const request = { method: 'GET', bucket, query, doing: `read the ${parameter} of` } as const;
  try {
    return (await askDocument(store.client, request, root, op)).root;
  } catch (thrown) {
    if (missing !== '' && hasS3Code(thrown, missing)) return undefined;
    throw thrown;
  }
}

/** A check whose request may be refused. */
async function asking(
  check: string,
  op: Op,
  look: () => Promise<Omit<Finding, 'check'>>,
): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (thrown) {
    op.signal.throwIfAborted();
    if (hasCode(thrown, 'access-denied')) {
      return { check, verdict: 'unknown', text: 'the key may not read it' };
    }
    return { check, verdict: 'unknown', text: toSyncerError(thrown).message };
  }
}

const versioning = (store: S3Store, op: Op) =>
  asking('versioning', op, async () => {
    const root = await ask(store, { parameter: 'versioning', root: 'VersioningConfiguration' }, op);
    const status = root && childText(root, 'Status');
    if (status === 'Enabled') {
      return { verdict: 'ok', text: 'on: deleted and replaced objects stay as old versions' };
    }
    const suspended = 'suspended: earlier versions stay, new ones are not kept';
    return { verdict: 'ok', text: status === 'Suspended' ? suspended : 'off' };
  });

const objectLock = (store: S3Store, op: Op) =>
  asking('object-lock', op, async () => {
    const missing = 'ObjectLockConfigurationNotFoundError';
    const what = { parameter: 'object-lock', root: 'ObjectLockConfiguration', missing };
    const root = await ask(store, what, op);
    if (root === undefined || childText(root, 'ObjectLockEnabled') !== 'Enabled') {
      return { verdict: 'ok', text: 'off' };
    }
    const rule = below(root, 'Rule', 'DefaultRetention')[0];
    if (rule === undefined) return { verdict: 'ok', text: 'on, without a default retention' };
    const [mode, days, years] = ['Mode', 'Days', 'Years'].map((name) => childText(rule, name));
    const length = days === undefined ? `${years} years` : `${days} days`;
    return { verdict: 'ok', text: `on: new objects are locked for ${length} (${mode})` };
  });

const lifecycle = (store: S3Store, op: Op) =>
  asking('lifecycle', op, async () => {
    const missing = 'NoSuchLifecycleConfiguration';
    const what = { parameter: 'lifecycle', root: 'LifecycleConfiguration', missing };
    const root = await ask(store, what, op);
    const rules = root === undefined ? [] : below(root, 'Rule');
    const days = rules
      .filter((rule) => childText(rule, 'Status') === 'Enabled')
      .flatMap((rule) => below(rule, 'AbortIncompleteMultipartUpload'))
      .map((abort) => Number(childText(abort, 'DaysAfterInitiation')));
    if (days.length === 0) return { verdict: 'ok', text: 'no rule aborts unfinished uploads' };
    const text = `unfinished uploads are aborted after ${Math.min(...days)} days`;
    return { verdict: 'ok', text };
  });

const unfinishedUploads = (store: S3Store, op: Op) =>
  asking('unfinished-uploads', op, async () => {
    const place = store.locate('');
    let [count, old, bytes, sized] = [0, 0, 0, 0];
    for await (const { uploads, nowMs } of uploadPages(store, place, op)) {
      for (const upload of uploads) {
        count++;
        if (nowMs - upload.begunMs > DAY_MS) old++;
        if (sized >= MOST_SIZES) continue;
        sized++;
        const { key, id } = upload;
        const parts = (await listParts(store, { ...place, key }, id, op)) ?? [];
        bytes += parts.reduce((sum, { size }) => sum + size, 0);
      }
    }
    if (count === 0) return { verdict: 'ok', text: 'none' };
    const size = `${sized < count ? 'more than ' : ''}${formatSizeUnit(bytes)}`;
    const text = `${count} with ${size}, ${old} of them older than a day`;
    if (old === 0) return { verdict: 'ok', text };
    const path = shellWord(`${store.settings.remote}:${store.root}`);
    return { verdict: 'warning', text, mend: `syncer cleanup ${path}` };
  });

/** The elements at a path of names below another one. */
function below(root: XmlElement, ...names: readonly string[]): readonly XmlElement[] {
  return names.reduce<readonly XmlElement[]>(
    (found, name) =>
      found.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [root],
  );
}
