import { SyncerError } from '../../core/errors.ts';

/** Where a server listens: on a port, or on a Unix socket. */
export type ListenAddress = (
  | {
      /** A name or an address, without the brackets of IPv6. */
      readonly host: string;
      readonly port: number;
    }
  | { readonly path: string }
) & {
  /** `plain`: without TLS even if there is a certificate; `tls`: only with one. */
  readonly security?: 'plain' | 'tls';
};

/**
 * Reads `--addr`: `localhost:8080`, `[::1]:8080`, or `:8080` for all interfaces; `unix:///run/x.sock` or `/run/x.sock`;
 * `http://` before it for no TLS, `tls://` for TLS. Throws `usage`.
 */
export function parseListenAddress(text: string): ListenAddress {
  const given = text.trim();
  const prefix = /^(?:http|tls):\/\//.exec(given)?.[0] ?? '';
  const security = {
    '': {},
    'http://': { security: 'plain' },
    'tls://': { security: 'tls' },
  } as const;
  const rest = given.slice(prefix.length);
  const base = security[prefix as keyof typeof security];
  const path = rest.startsWith('unix://') ? rest.slice('unix://'.length) : rest;
  // Node would listen at another path.
  if (path.startsWith('/') && path.isWellFormed()) return { ...base, path };
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(rest);
  const port = Number(match?.[3] ?? Number.NaN);
  if (match === null || !(port <= 65_535)) {
    const message = `--addr ${text}: an address is host:port, as in localhost:8080, or the path of a socket`;
    throw new SyncerError('usage', message);
  }
  return { ...base, host: match[1] || match[2] || '::', port };
}

/** An address as it was given: `localhost:8080`, `/run/x.sock`. */
export function shownAddress(address: ListenAddress): string {
  if ('path' in address) return address.path;
  const { host, port } = address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
