import { toSyncerError } from '../core/errors.ts';
import type { Draft } from './draft.ts';

/** What is wrong with a remote, and what to do. */
export interface Diagnosis {
  readonly what: string;
  /** `''` where `what` says it. */
  readonly mend: string;
}

/** Why a test failed. `nowMs` is the time, in milliseconds since the epoch. */
export function diagnose(thrown: unknown, draft: Draft, nowMs: number): Diagnosis {
  const error = toSyncerError(thrown);
  const { message } = error;
  const known = RULES.find(({ when }) => when(message, thrown));
  const mend = error.advice ?? known?.mend(draft, thrown, nowMs) ?? '';
  return { what: message, mend };
}

interface Rule {
  readonly when: (message: string, thrown: unknown) => boolean;
  readonly mend: (draft: Draft, thrown: unknown, nowMs: number) => string;
}

const says = (pattern: RegExp) => (message: string) => pattern.test(message);

/** The region that the store names in its refusal. */
function regionOf(thrown: unknown): string {
  const { region } = thrown as { readonly region?: unknown };
  return typeof region === 'string' ? region : '';
}

/** The first that fits counts. */
const RULES: readonly Rule[] = [
  {
    when: says(/SignatureDoesNotMatch|secret key is wrong/),
    mend: () => 'Go back to secret_access_key (e) and paste the secret again, without spaces.',
  },
  {
    when: says(/InvalidAccessKeyId|access key not recognised/),
    mend: () => 'Go back to access_key_id (e): the key belongs to another provider or was deleted.',
  },
  {
    when: says(/RequestTimeTooSkewed|local clock differs/),
    mend: (_, __, nowMs) =>
      `The local clock says ${new Date(nowMs).toISOString()}. Set it (timedatectl set-ntp true).`,
  },
  {
    when: (message, thrown) =>
      /AuthorizationHeaderMalformed|wrong region/.test(message) || regionOf(thrown) !== '',
    mend: (_, thrown) => {
      const region = regionOf(thrown);
      return region === '' ? "Set region to the bucket's region." : `Set region = ${region}.`;
    },
  },
  {
    when: says(/^cannot trust |certificate/),
    mend: () =>
      'If the server uses its own certificate authority, pass it with --ca-cert. Check that the endpoint matches the certificate.',
  },
  {
    when: says(/does not speak (TLS|HTTP)/),
    mend: () => 'Check the endpoint: http:// or https://, and the port.',
  },
  {
    when: says(/cannot resolve/),
    mend: () => 'Check the region, the endpoint and the network.',
  },
  {
    when: says(/connection refused|timed out|no route/),
    mend: () => "Check the endpoint's host and port, and any firewall in between.",
  },
  {
    when: says(/client_secret|client_id/),
    mend: () => 'Check client_id and client_secret in the application registration.',
  },
  {
    when: (_, thrown) => ['sign-in-needed', 'sign-in'].includes(toSyncerError(thrown).code),
    mend: (draft) =>
      draft.kind.login !== undefined ? 'Log in again: go back to auto config (e).' : '',
  },
  {
    when: (_, thrown) => toSyncerError(thrown).code === 'access-denied',
    mend: ({ kind }) =>
      kind.login !== undefined
        ? 'The application lacks a permission: add the scopes Files.ReadWrite.All and User.Read, then log in again.'
        : 'The keys may allow access to one bucket but not the list of buckets: save, then try "syncer lsd name:bucket".',
  },
];
