import net, { isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { timerMs } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import { type AnswerHead, AnswerParser } from './answer-parser.ts';
import { connectionError, tooLate } from './connection-error.ts';
import type { Origin, TimeLimits } from './http-request.ts';
import { type ProxyServer, proxyHeaders, refusedLogin } from './proxy.ts';
import type { TrustedAuthorities } from './trusted-authorities.ts';

export interface SocketParts {
  readonly origin: Origin;
  readonly proxy: ProxyServer | undefined;
  readonly trusted: TrustedAuthorities;
  /** TLS sessions by host, so that further connections need no full handshake. */
  readonly sessions: Map<string, Buffer>;
  /** Receives data; `false` from the callback pauses. */
  readonly onread: OnReadOpts;
  readonly limits: TimeLimits;
  readonly localAddress?: string | undefined;
}

/** A proxy with its address for messages. */
type NamedProxy = ProxyServer & Origin;

/** A connected socket to the origin. Rejects with a `SyncerError` that names it or the proxy, or the signal's reason. */
export async function openSocket(parts: SocketParts, signal: AbortSignal): Promise<Socket> {
  const { origin, proxy } = parts;
  if (proxy === undefined) return connectTo(origin, parts, { onread: parts.onread }, signal);
  const way: NamedProxy = { ...proxy, host: `proxy ${proxy.hostname}:${proxy.port}` };
  if (!origin.secure && !proxy.socks) {
    return connectTo(way, parts, { onread: parts.onread }, signal);
  }
  const tunnel = await connectTo(way, parts, {}, signal);
  try {
    if (proxy.socks) await openSocksTunnel(tunnel, parts, proxy, signal);
    else await openTunnel(tunnel, parts, way, signal);
    const socket = origin.secure
      ? await connectTo(origin, parts, { socket: tunnel }, signal)
      : tunnel;
    const { callback } = parts.onread;
    socket.on('data', (chunk: Buffer) => {
      if (callback(chunk.length, chunk) === false) socket.pause();
    });
    return socket;
  } catch (error) {
    tunnel.destroy();
    throw error;
  }
}

function connectTo(
  peer: Origin,
  parts: SocketParts,
  by: { readonly onread?: OnReadOpts; readonly socket?: Socket },
  signal: AbortSignal,
): Promise<Socket> {
  const { localAddress, trusted, sessions } = parts;
  const { hostname: host, port, socketPath, secure } = peer;
  const common = { host, port, noDelay: true, keepAlive: true, localAddress, ...by };
  let socket: Socket;
  if (secure) {
    const place = `${host}:${port}`;
    const tls = connectTls({
      ...common,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      session: sessions.get(place),
      secureContext: trusted.context,
      rejectUnauthorized: !trusted.trustsAnybody,
      ALPNProtocols: ['http/1.1'],
    });
    socket = tls.on('session', (fresh) => sessions.set(place, fresh));
  } else socket = net.connect(socketPath === undefined ? common : { path: socketPath, ...by });
  return awaitOn(socket, peer, parts.limits, signal, (resolve) => {
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve(socket));
    return undefined;
  });
}

/**
 * Waits for what `begin` starts on a socket. Rejects, and destroys it, if it fails or closes, if a step takes too long
 * or nothing arrives, and with the signal's reason. What `begin` returns is called at the end.
 */
function awaitOn<T>(
  socket: Socket,
  peer: Origin,
  { connectMs, idleMs }: TimeLimits,
  signal: AbortSignal,
  begin: (resolve: (value: T) => void, fail: (error: unknown) => void) => (() => void) | undefined,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let stop: (() => void) | undefined;
  const fail = (error: unknown) => {
    settle();
    socket.on('error', () => undefined).destroy();
    reject(signal.aborted ? signal.reason : connectionError(error as Error, peer, false));
  };
  const onAbort = () => fail(signal.reason);
  const onClose = () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
  const onSilence = () => fail(tooLate('data from', peer, idleMs));
  const onLate = () => fail(tooLate('connection to', peer, connectMs));
  const timer = connectMs > 0 ? setTimeout(onLate, timerMs(connectMs)) : undefined;
  if (idleMs > 0) socket.setTimeout(timerMs(idleMs), onSilence);
  const settle = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    socket.off('error', fail).off('close', onClose).off('timeout', onSilence).setTimeout(0);
    stop?.();
  };
  socket.on('error', fail).on('close', onClose);
  signal.addEventListener('abort', onAbort, { once: true });
  stop = begin((value) => {
    settle();
    resolve(value);
  }, fail);
  return promise;
}

/** Asks the proxy for a tunnel to the origin (RFC 9110, 9.3.6). */
function openTunnel(
  socket: Socket,
  { origin, limits }: SocketParts,
  proxy: NamedProxy,
  signal: AbortSignal,
): Promise<void> {
  const { hostname, port } = origin;
  const authority = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
  const login = Object.entries(proxyHeaders(proxy)).map(([name, value]) => `${name}: ${value}\r\n`);
  return awaitOn<void>(socket, proxy, limits, signal, (resolve, fail) => {
    const onHead = ({ status }: AnswerHead) => {
      if (status < 200) return;
      if (status < 300) return resolve();
      if (status === 407) return fail(refusedLogin(proxy, origin));
      const text = `the proxy ${proxy.hostname} refuses a tunnel to ${authority} (status ${status})`;
      // A gateway in trouble may be well again for the next try.
      fail(new SyncerError(status >= 500 ? 'server' : 'bad-answer', text));
    };
    const parser = new AnswerParser({ head: onHead, data: () => undefined, end: () => undefined });
    const onData = (chunk: Buffer) => {
      try {
        parser.feed(chunk, chunk.length);
      } catch (error) {
        fail(error);
      }
    };
    socket.on('data', onData);
    parser.expect('HEAD');
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${login.join('')}\r\n`);
    return () => void socket.off('data', onData);
  });
}

/** Asks a SOCKS 5 proxy for a connection to the origin; it resolves the name. */
async function openSocksTunnel(
  socket: Socket,
  { origin, limits }: SocketParts,
  { hostname: ipaddress, port, login }: ProxyServer,
  signal: AbortSignal,
): Promise<void> {
  const { SocksClient } = await import('socks');
  const onAbort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await SocksClient.createConnection({
      proxy: {
        host: ipaddress,
        port,
        type: 5,
        ...(login === undefined ? {} : { userId: login.user, password: login.password }),
      },
      command: 'connect',
      destination: { host: origin.hostname, port: origin.port },
      existing_socket: socket,
      ...(limits.connectMs > 0 ? { timeout: limits.connectMs } : {}),
    });
  } catch (cause) {
    signal.throwIfAborted();
    const why = (cause as Error).message;
    const text = `the proxy ${ipaddress} refuses a connection to ${origin.host} (${why})`;
    // All others are of its network, or of a connection that broke, and pass.
    const isFinal = /authentication|invalid|NotAllowed|NotSupported/i.test(why);
    throw new SyncerError(isFinal ? 'bad-answer' : 'network', text, { cause });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
