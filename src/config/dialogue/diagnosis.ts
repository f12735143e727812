import { type RemoteFault, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Draft } from './draft.ts';

/** What is wrong with a remote, and what to do. */
export interface Diagnosis {
  readonly what: string;
  /** `''` where `what` says it. */
  readonly mend: string;
  /** The option that is wrong; `undefined` where none is to blame alone. */
  readonly field: string | undefined;
}

type Advice = Pick<Diagnosis, 'mend'> & { readonly field?: string };

/** Why a test failed. `nowMs` is the time, in milliseconds since the epoch. */
export function diagnose(thrown: unknown, draft: Draft, nowMs: number): Diagnosis {
  const error = toSyncerError(thrown);
  const { region } = error as { readonly region?: unknown };
  // The store names it in its refusal.
  const told = typeof region === 'string' ? region : '';
  const fault = faultOf(error) ?? (told === '' ? undefined : 'region');
  const { login } = draft.kind;
  const isLogin = error.code === 'sign-in-needed' || error.code === 'sign-in';
  let advice: Advice = { mend: '' };
  if (fault) advice = BY_FAULT[fault];
  else if (isLogin && login !== undefined) {
    advice = { field: 'token', mend: 'Log in again: go back to auto config (e).' };
  } else if (error.code === 'access-denied') {
    const ofLogin =
      'The application lacks a permission: add the scopes Files.ReadWrite.All and User.Read, then log in again.';
    const ofKeys =
      'The keys may allow access to one bucket but not the list of buckets: save, then try "syncer lsd name:bucket".';
    advice = { mend: login !== undefined ? ofLogin : ofKeys };
  }
  let { field, mend } = advice;
  if (fault === 'region' && told !== '') mend = `Set region = ${told}.`;
  if (fault === 'clock') {
    mend = `The local clock says ${new Date(nowMs).toISOString()}. Set it (timedatectl set-ntp true).`;
  }
  const isOption = draft.kind.options.some(({ name }) => name === field);
  return { what: error.message, mend: error.advice ?? mend, field: isOption ? field : undefined };
}

const BY_FAULT: Readonly<Record<RemoteFault, Advice>> = {
  region: { field: 'region', mend: "Set region to the bucket's region." },
  clock: { mend: '' },
  'secret-key': {
    field: 'secret_access_key',
    mend: 'Go back to secret_access_key (e) and paste the secret again, without spaces.',
  },
  'access-key': {
    field: 'access_key_id',
    mend: 'Go back to access_key_id (e): the key belongs to another provider or was deleted.',
  },
  client: {
    field: 'client_id',
    mend: 'Check client_id and client_secret in the application registration.',
  },
  application: {
    field: 'client_id',
    mend: 'Set the client_id of your own application, then log in again.',
  },
  authority: {
    field: 'endpoint',
    mend: 'If the server uses its own certificate authority, pass it with --ca-cert.',
  },
  certificate: { field: 'endpoint', mend: 'Check that the endpoint matches the certificate.' },
  protocol: {
    field: 'endpoint',
    mend: 'Check the endpoint: http:// or https://, and the port.',
  },
  'host-name': { field: 'endpoint', mend: 'Check the region, the endpoint and the network.' },
  connection: {
    field: 'endpoint',
    mend: "Check the endpoint's host and port, and any firewall in between.",
  },
};

/** The fault of an error, or of the one that it wraps. */
function faultOf(error: unknown): RemoteFault | undefined {
  if (!(error instanceof SyncerError)) return undefined;
  return error.fault ?? faultOf(error.cause);
}
