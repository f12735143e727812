import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { ClientCertificate } from './network-options.ts';

export interface TrustedAuthorities {
  /** The context of TLS connections. */
  readonly context: SecureContext;
  /** Any certificate is accepted. */
  readonly trustsAnybody: boolean;
  /** The machine's own authorities are trusted too, or any certificate is. */
  trustsSystem: boolean;
  /** Trusts the machine's own authorities from now on. */
  trustSystem(): void;
}

/**
 * Node trusts its own authorities and those of `NODE_EXTRA_CA_CERTS`; `extra` (PEM) are added. The machine's own take
 * tens of milliseconds to read, so they are added once a certificate was refused. Throws Error if the key of `identity`,
 * the client certificate, does not match.
 */
export function trustedAuthorities(
  extra: string | undefined,
  trustsAnybody: boolean,
  identity?: ClientCertificate,
): TrustedAuthorities {
  const own = extra === undefined ? [] : [extra];
  let context: SecureContext | undefined;
  const withAuthorities = (...more: readonly string[]) =>
    createSecureContext({
      ...identity,
      ca: [...new Set([...getCACertificates('default'), ...more, ...own])],
    });
  return {
    trustsAnybody,
    trustsSystem: trustsAnybody,
    get context() {
      context ??= own.length === 0 ? createSecureContext({ ...identity }) : withAuthorities();
      return context;
    },
    trustSystem() {
      if (this.trustsSystem) return;
      this.trustsSystem = true;
      context = withAuthorities(...getCACertificates('system'));
    },
  };
}
