import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, toSyncerError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import type { Op } from '../../core/remote.ts';
import { formatSizeUnit } from '../../go/quantities.ts';
import { homeFolder, shellWord } from '../../system/shell-words.ts';
import { childrenNamed, childText, type XmlElement } from '../s3-protocol/read-xml.ts';
import { askDocument } from './client/ask.ts';
import { listParts, uploadPages, versioningStatus } from './listing/history.ts';
import type { S3Settings } from './settings.ts';
import type { S3Store } from './store.ts';
import { hasS3Code } from './store-error.ts';

/** What can be found out about an account and a bucket by reading. */
export async function* inspectBucket(store: S3Store, op: Op): AsyncGenerator<Finding> {
  yield await credentials(store);
  const { region, endpoint } = store.settings;
  const style = endpoint.pathStyle ? 'path style' : 'virtual-host style';
  const place = `region ${region === '' ? 'us-east-1' : region}, ${style}`;
  yield { check: 'addressing', verdict: 'ok', text: place };
  const { bucket } = store.locate('');
  if (bucket === '') {
    const text = 'name a bucket to check its versioning, locks and unfinished uploads';
    yield { check: 'bucket', verdict: 'unknown', text };
    return;
  }
  const checks = {
    versioning,
    'object-lock': objectLock,
    lifecycle,
    'unfinished-uploads': unfinishedUploads,
  };
  for (const [check, look] of Object.entries(checks)) {
    // The request may be refused.
    const found = await look(store, op).catch((thrown): Found => {
      op.signal.throwIfAborted();
      const isDenied = hasCode(thrown, 'access-denied');
      const text = isDenied ? 'the key may not read it' : toSyncerError(thrown).message;
      return { verdict: 'unknown', text };
    });
    yield { check, ...found };
  }
}

type Found = Omit<Finding, 'check'>;

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

/** A document about a bucket; `undefined` if the error `missing` says that there is none. */
async function ask(store: S3Store, parameter: string, root: string, missing: string, op: Op) {
  const { bucket } = store.locate('');
  const query = [[parameter, '']] as const;
  const request = { method: 'GET', bucket, query, doing: `read the ${parameter} of` } as const;
  try {
    return (await askDocument(store.client, request, root, op)).root;
  } catch (thrown) {
    if (hasS3Code(thrown, missing)) return undefined;
    throw thrown;
  }
}

async function versioning(store: S3Store, op: Op): Promise<Found> {
  const status = await versioningStatus(store, store.locate('').bucket, op);
  if (status === 'Enabled') {
    return { verdict: 'ok', text: 'on: deleted and replaced objects stay as old versions' };
  }
  const suspended = 'suspended: earlier versions stay, new ones are not kept';
  return { verdict: 'ok', text: status === 'Suspended' ? suspended : 'off' };
}

async function objectLock(store: S3Store, op: Op): Promise<Found> {
  const missing = 'ObjectLockConfigurationNotFoundError';
  const root = await ask(store, 'object-lock', 'ObjectLockConfiguration', missing, op);
  if (root === undefined || childText(root, 'ObjectLockEnabled') !== 'Enabled') {
    return { verdict: 'ok', text: 'off' };
  }
  const rule = below(root, 'Rule', 'DefaultRetention')[0];
  if (rule === undefined) return { verdict: 'ok', text: 'on, without a default retention' };
  const [mode, days, years] = ['Mode', 'Days', 'Years'].map((name) => childText(rule, name));
  const length = days === undefined ? `${years} years` : `${days} days`;
  return { verdict: 'ok', text: `on: new objects are locked for ${length} (${mode})` };
}

async function lifecycle(store: S3Store, op: Op): Promise<Found> {
  const missing = 'NoSuchLifecycleConfiguration';
  const root = await ask(store, 'lifecycle', 'LifecycleConfiguration', missing, op);
  const rules = root === undefined ? [] : below(root, 'Rule');
  const days = rules
    .filter((rule) => childText(rule, 'Status') === 'Enabled')
    .flatMap((rule) => below(rule, 'AbortIncompleteMultipartUpload'))
    .map((abort) => Number(childText(abort, 'DaysAfterInitiation')));
  if (days.length === 0) return { verdict: 'ok', text: 'no rule aborts unfinished uploads' };
  const text = `unfinished uploads are aborted after ${Math.min(...days)} days`;
  return { verdict: 'ok', text };
}

async function unfinishedUploads(store: S3Store, op: Op): Promise<Found> {
  const place = store.locate('');
  let [count, old, bytes, sized] = [0, 0, 0, 0];
  for await (const { uploads, nowMs } of uploadPages(store, place, op)) {
    for (const upload of uploads) {
      count++;
      if (nowMs - upload.begunMs > 86_400_000) old++;
      // The parts of each upload cost a request.
      if (sized >= 100) continue;
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
}

/** The elements at a path of names below another one. */
function below(root: XmlElement, ...names: readonly string[]): readonly XmlElement[] {
  return names.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap((element) => childrenNamed(element, name)),
    [root],
  );
}

/** What lets the chain of the AWS SDK find credentials, as a variable, or as a key of a profile. */
const CHAIN_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_EC2_METADATA_SERVICE_ENDPOINT',
];
const CHAIN_KEYS =
  /^\s*(?:aws_access_key_id|role_arn|sso_\w+|credential_\w+|web_identity_\w+|login_session)\s*=/m;

/** What is wrong if `env_auth` has nothing to find, or there are no keys at all; asks no server. */
export async function missingCredentials(
  { remote, envAuth, accessKeyId, ibm, profile, sharedCredentialsFile }: S3Settings,
  env: NodeJS.ProcessEnv,
): Promise<Finding | undefined> {
  const check = 'credentials';
  if (accessKeyId !== '' || ibm !== undefined) return undefined;
  const edit = `syncer config edit ${shellWord(remote)}`;
  if (!envAuth) {
    return { check, verdict: 'warning', text: 'none: requests are anonymous', mend: edit };
  }
  if (CHAIN_VARIABLES.some((name) => env[name])) return undefined;
  const home = homeFolder(env);
  const files = [
    sharedCredentialsFile ||
      env['AWS_SHARED_CREDENTIALS_FILE'] ||
      (home && join(home, '.aws', 'credentials')),
    env['AWS_CONFIG_FILE'] || (home && join(home, '.aws', 'config')),
  ];
  const wanted = profile || env['AWS_PROFILE'] || 'default';
  for (const file of files) {
    const text = file ? await readFile(file, 'utf8').catch(() => '') : '';
    const sections = text.split(/^\s*\[\s*(?:profile\s+)?["']?([^\]"']*?)["']?\s*\].*$/m);
    for (let at = 1; at < sections.length; at += 2) {
      if (sections[at] === wanted && CHAIN_KEYS.test(sections[at + 1] ?? '')) return undefined;
    }
  }
  const text = `env_auth finds no credentials in variables or in the profile ${wanted}`;
  const mend = 'aws configure list';
  if (env['AWS_EC2_METADATA_DISABLED'] === 'true' || !(await isOfAmazon()))
    return { check, verdict: 'failed', text, mend };
  return { check, verdict: 'unknown', text: `${text}; those of the machine were not asked for` };
}

/** Whether this machine is one of Amazon's, which may give credentials to its programs. */
async function isOfAmazon(): Promise<boolean> {
  const read = (file: string) => readFile(file, 'utf8').catch(() => '');
  return (
    /amazon/i.test(await read('/sys/class/dmi/id/sys_vendor')) ||
    /^ec2/i.test(await read('/sys/hypervisor/uuid'))
  );
}
