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
    mend: () => 'Go back to secret_access_key (e) and paste the secret anew, without blanks.',
  },
  {
    when: says(/InvalidAccessKeyId|does not know the access key/),
    mend: () => 'Go back to access_key_id (e): the key is of another store, or was deleted.',
  },
  {
    when: says(/RequestTimeTooSkewed|time here differs/),
    mend: (_, __, nowMs) =>
      `This machine says ${new Date(nowMs).toISOString()}. Set its clock (timedatectl set-ntp true).`,
  },
  {
    when: (message, thrown) =>
      /AuthorizationHeaderMalformed|another region/.test(message) || regionOf(thrown) !== '',
    mend: (_, thrown) => {
      const region = regionOf(thrown);
      return region === '' ? 'Set region to the one of the store.' : `Set region = ${region}.`;
    },
  },
  {
    when: says(/^cannot trust |certificate/),
    mend: () =>
      'If the store has its own authority, name it with --ca-cert; check that the endpoint is the name in the certificate.',
  },
  {
    when: says(/no TLS connection|does not speak HTTP/),
    mend: () => 'Check http:// or https:// and the port of the endpoint.',
  },
  {
    when: says(/there is no host|looked up/),
    mend: () => 'Check the region and the endpoint, and whether the network is up.',
  },
  {
    when: says(/connection refused|timed out|no route/),
    mend: () => 'Check host and port of the endpoint, and whether a firewall is between.',
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
        ? 'The application lacks a permission: add the scopes Files.ReadWrite.All and User.Read to it, then log in again.'
        : 'The keys may work for one bucket and not for the list of buckets: save, then try "syncer lsd name:bucket".',
  },
];
