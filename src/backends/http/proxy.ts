import { BlockList, isIP } from 'node:net';
import { SyncerError } from '../../core/errors.ts';
import { type Origin, originOf } from './http-request.ts';

export interface ProxyServer {
  /** SOCKS 5 (RFC 1928), where the proxy resolves the names of hosts; else HTTP. */
  readonly socks?: true;
  /** The connection to an HTTP proxy is TLS. */
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** Absent if the proxy needs none. */
  readonly login?: { readonly user: string; readonly password: string };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i;

/**
 * The proxy for an origin by `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case, as Go reads them
 * (golang.org/x/net/http/httpproxy): none for loopback addresses. Throws `config` for a proxy that cannot be used.
 */
export function proxyFor(origin: Origin, env: NodeJS.ProcessEnv): ProxyServer | undefined {
  const name = origin.secure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = env[name] || env[name.toLowerCase()] || '';
  if (text === '' || LOOPBACK.test(origin.hostname)) return undefined;
  if (isExempt(origin, env['NO_PROXY'] || env['no_proxy'] || '')) return undefined;
  return readProxy(name, text);
}

/**
 * Reads the address of a proxy: `http://`, `https://` or `socks5://`, with `user:password@` or not; HTTP without a
 * scheme. Throws `config` for anything else. `name`: what it was given by, for the message.
 */
export function readProxy(name: string, text: string): ProxyServer {
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  const isSocks = url !== null && /^socks5h?:$/.test(url.protocol);
  if (url === null || !(isSocks || /^https?:$/.test(url.protocol)) || url.hostname === '') {
    const text = `${name} is not a proxy: use http://host:port or socks5://host:port`;
    throw new SyncerError('config', text);
  }
  let { username: user, password } = url;
  try {
    user = decodeURIComponent(user);
    password = decodeURIComponent(password);
  } catch {
    throw new SyncerError('config', `${name} has an invalid login: write % in it as %25`);
  }
  const login = user === '' && password === '' ? {} : { login: { user, password } };
  const { secure, hostname, port } = originOf(url);
  if (!isSocks) return { secure, hostname, port, ...login };
  return { socks: true, secure: false, hostname, port: Number(url.port) || 1080, ...login };
}

/** The error of a proxy that refuses a request for its login; `origin` is where the request was to go. */
export function refusedLogin({ hostname, port }: ProxyServer, origin: Origin): SyncerError {
  const text = `the proxy ${hostname}:${port} refuses the login for requests to ${origin.host} (status 407)`;
  const advice = 'check user and password in the address of the proxy';
  return new SyncerError('config', text, { advice });
}

/** The `proxy-authorization` header of an HTTP proxy; empty if it needs none. */
export function proxyHeaders({ login }: ProxyServer): Record<string, string> {
  if (login === undefined) return {};
  const text = Buffer.from(`${login.user}:${login.password}`).toString('base64');
  return { 'proxy-authorization': `Basic ${text}` };
}

/** Whether `NO_PROXY` exempts the origin: names, `.names` of domains, addresses, networks, each with a port or not. */
function isExempt({ hostname, port }: Origin, noProxy: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return noProxy
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
    .some((item) => {
      if (item === '') return false;
      if (item === '*') return true;
      if (isIP(name) !== 0 && item.includes('/')) return isInNetwork(name, item);
      const [, host = '', itemPort] = /^(?:\[?)(.*?)(?:\]?)(?::(\d+))?$/.exec(item) ?? [];
      const whole = isIP(item) === 6 ? item : host;
      if (isIP(item) !== 6 && itemPort !== undefined && Number(itemPort) !== port) return false;
      if (isIP(name) !== 0) return whole === name;
      const domain = whole.replace(/^\*/, '');
      return domain.startsWith('.')
        ? name.endsWith(domain)
        : name === domain || name.endsWith(`.${domain}`);
    });
}

function isInNetwork(address: string, network: string): boolean {
  const [base = '', prefix = ''] = network.split('/');
  const family = isIP(base) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(base) === 0 || isIP(base) !== isIP(address) || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(base, Number(prefix), family);
  return list.check(address, family);
}
