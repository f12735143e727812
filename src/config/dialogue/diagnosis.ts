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

interface Advice {
  readonly field?: string;
  readonly mend: string;
}

/** Why a test failed. `nowMs` is the time, in milliseconds since the epoch. */
export function diagnose(thrown: unknown, draft: Draft, nowMs: number): Diagnosis {
  const error = toSyncerError(thrown);
  const { region } = error as { readonly region?: unknown };
  // The store names it in its refusal.
  const told = typeof region === 'string' ? region : '';
  const fault = faultOf(error) ?? (told === '' ? undefined : 'region');
  let { field, mend }: Advice = fault ? BY_FAULT[fault] : adviceByCode(error, draft);
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

function adviceByCode({ code }: SyncerError, { kind: { login } }: Draft): Advice {
  const isLogin = code === 'sign-in-needed' || code === 'sign-in';
  if (isLogin && login !== undefined) {
    return { field: 'token', mend: 'Log in again: go back to auto config (e).' };
  }
  if (code !== 'access-denied') return { mend: '' };
  return {
    mend:
      login !== undefined
        ? 'The application lacks a permission: add the scopes Files.ReadWrite.All and User.Read, then log in again.'
        : 'The keys may allow access to one bucket but not the list of buckets: save, then try "syncer lsd name:bucket".',
  };
}

/** The fault of an error, or of the one that it wraps. */
function faultOf(error: unknown): RemoteFault | undefined {
  if (!(error instanceof SyncerError)) return undefined;
  return error.fault ?? faultOf(error.cause);
}
