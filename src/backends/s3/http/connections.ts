import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import type { TransportOptions } from '../../backend.ts';

/** The kept-alive connections of one remote. */
export interface Connections {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** The machine's own certificate authorities are trusted too. */
  readonly trustsSystem: boolean;
  /** Trusts the machine's own certificate authorities from now on; `false` where it did already. */
  trustSystem(): boolean;
  close(): void;
}

/**
 * Connections as the options want them: TLS authorities, proxies from the environment. Node trusts the authorities
 * that come with it and those of `NODE_EXTRA_CA_CERTS`; the machine's own (which Go programs use) take tens of
 * milliseconds to read, so they are added only once a certificate was refused.
 */
export function openConnections(options: TransportOptions, isLoopback: boolean): Connections {
  const shared = {
    keepAlive: true,
    maxFreeSockets: 256,
    ...(isLoopback ? {} : { proxyEnv: proxySettings(options.env) }),
  };
  const extra = options.caCertificates === undefined ? [] : [options.caCertificates];
  const plain = new http.Agent(shared);
  let trustsSystem = options.insecureTls;
  const secure = new https.Agent({
    ...shared,
    rejectUnauthorized: !options.insecureTls,
    ...(extra.length === 0 ? {} : { ca: [...tls.getCACertificates('default'), ...extra] }),
  });
  return {
    http: plain,
    https: secure,
    get trustsSystem() {
      return trustsSystem;
    },
    trustSystem() {
      if (trustsSystem) return false;
      trustsSystem = true;
      const authorities = new Set([
        ...tls.getCACertificates('default'),
        ...tls.getCACertificates('system'),
        ...extra,
      ]);
      secure.options.ca = [...authorities];
      return true;
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** The proxy variables alone; Go reads both spellings too, and never sends loopback addresses to a proxy. */
function proxySettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]);
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}
