import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { GRAPH_CERTIFICATE, GRAPH_KEY } from './graph-certificate.ts';
import type { GraphFaultRule } from './graph-fault.ts';
import { GraphFront } from './graph-front.ts';
import { makeListener } from './graph-listener.ts';
import type { GraphLog } from './graph-log.ts';
import { GraphRouter } from './graph-router.ts';
import { DEFAULT_SETTINGS, type GraphSettings, type TestGraphOptions } from './graph-settings.ts';
import { GraphWorld } from './graph-world.ts';
import type { GraphLying } from './lies/graph-lying.ts';
import { SignIn } from './login/sign-in.ts';
import { type RcloneToken, rcloneToken } from './rclone-token.ts';
import { TestDrive } from './test-drive.ts';
import type { UploadSession } from './upload-session.ts';

/** A Graph server of a test's own. */
export interface TestGraph {
  /** `http://127.0.0.1:port`, without the base path. Also a proxy that leads the real hosts here: see `proxied`. */
  readonly url: string;
  /** The same with TLS: `https://localhost:port`; clients must trust `certificate`. */
  readonly secureUrl: string;
  readonly certificate: string;
  /** Root of the Graph requests: `url` with the base path. */
  readonly graphUrl: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly deviceCodeUrl: string;
  readonly clientId: string;
  /** How the service behaves; changes count at once. */
  readonly settings: GraphSettings;
  /** The drives, in the order of the options. */
  readonly drives: readonly TestDrive[];
  /** The first drive. */
  readonly drive: TestDrive;
  /** Every request that came, with counts by operation. */
  readonly log: GraphLog;
  /** The upload sessions that were opened and neither finished nor cancelled. */
  openSessions(): readonly UploadSession[];
  /** Changes what goes wrong; `undefined`: nothing. */
  setFaults(rule: GraphFaultRule | undefined): void;
  /** Tells a lie from the next request on; `undefined`: none. */
  setLie(lying: GraphLying | undefined): void;
  /** How many lies were told. */
  told(): number;
  /** New tokens for the client, as rclone keeps them; access tokens may be told to be older than they are. */
  newToken(expiresIn?: number): RcloneToken;
  /** No access token given out so far is good any more. */
  expireAccessTokens(): void;
  /** No refresh token given out so far is good any more. */
  revokeRefreshTokens(): void;
  /** Delta tokens given out so far answer 410. */
  forgetDeltaTokens(): void;
  /** Lets time pass for the service: tokens, sessions, addresses grow old. */
  advance(seconds: number): void;
  /** Keys of a config section for a drive, for rclone and for syncer. */
  section(drive?: TestDrive): Record<string, string>;
  /**
   * Environment that leads a client with the real hosts built in to this server; the file must hold `certificate`.
   * rclone asks monitors through a client that knows no `--ca-cert`, so it is told by `SSL_CERT_FILE`.
   */
  proxied(certificateFile: string): Record<string, string>;
  stop(): Promise<void>;
}

const CLIENT_ID = '00000000-aaaa-bbbb-cccc-000000000000';
const SCOPE =
  'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All Sites.Read.All offline_access';

/** How a server is started. */
interface StartOptions extends TestGraphOptions {
  /** The lie that is told from the first request on. */
  readonly lying?: GraphLying;
}

/** Starts a server on free ports of 127.0.0.1. */
export async function startTestGraph(options: StartOptions = {}): Promise<TestGraph> {
  const { drives: setups = [{ type: 'personal' }], faults, lying, ...chosen } = options;
  const settings: GraphSettings = { ...DEFAULT_SETTINGS, ...chosen };
  const world = new GraphWorld(settings, setups);
  const login = new SignIn(world);
  const router = new GraphRouter(world, login);
  const front = new GraphFront();
  front.setFaults(faults);
  front.setLie(lying);

  let contentPort = 0;
  const contentOrigin = () => `http://127.0.0.1:${contentPort}`;
  const listener = (onlyContent: boolean, secure: boolean) =>
    makeListener(router, front, { onlyContent, secure, contentOrigin });
  const plain = createServer({ requestTimeout: 0 }, listener(false, false));
  const content = createServer({ requestTimeout: 0 }, listener(true, false));
  const tls = { key: GRAPH_KEY, cert: GRAPH_CERTIFICATE, requestTimeout: 0 };
  const secure = createSecureServer(tls, listener(false, true));
  const tunnels = acceptTunnels(plain, secure);
  const [plainPort, securePort] = await Promise.all([listen(plain), listen(secure)]);
  contentPort = await listen(content);

  const url = `http://127.0.0.1:${plainPort}`;
  const oauth = `${url}/common/oauth2/v2.0`;
  const drives = world.drives.map((drive) => new TestDrive(world, drive));
  const [drive] = drives;
  if (drive === undefined) throw new Error('A Graph server needs a drive.');
  const newToken = (expiresIn = settings.accessTokenSeconds) =>
    rcloneToken(login.tokens.issue({ clientId: CLIENT_ID, scope: SCOPE }), expiresIn);
  return {
    url,
    secureUrl: `https://localhost:${securePort}`,
    certificate: GRAPH_CERTIFICATE,
    graphUrl: `${url}${settings.basePath}`,
    authUrl: `${oauth}/authorize`,
    tokenUrl: `${oauth}/token`,
    deviceCodeUrl: `${oauth}/devicecode`,
    clientId: CLIENT_ID,
    settings,
    drives,
    drive,
    log: front.log,
    openSessions: () => [...world.sessions.values()],
    setFaults: (rule) => front.setFaults(rule),
    setLie: (lying) => front.setLie(lying),
    told: () => front.told,
    newToken,
    expireAccessTokens: () => login.tokens.expireAccessTokens(),
    revokeRefreshTokens: () => login.tokens.revokeRefreshTokens(),
    forgetDeltaTokens: () => void world.deltaEpoch++,
    advance: (seconds) => world.advance(seconds),
    section: (one = drive) => ({
      type: 'onedrive',
      client_id: CLIENT_ID,
      token: JSON.stringify(newToken()),
      drive_id: one.id,
      drive_type: one.type,
      auth_url: `${oauth}/authorize`,
      token_url: `${oauth}/token`,
    }),
    proxied: (certificateFile) => ({
      HTTPS_PROXY: url,
      https_proxy: url,
      NO_PROXY: '',
      no_proxy: '',
      SSL_CERT_FILE: certificateFile,
    }),
    async stop() {
      for (const socket of tunnels) socket.destroy();
      await Promise.all([plain, content, secure].map(close));
    },
  };
}

/** Takes `CONNECT` for any host and speaks TLS with the client itself. */
function acceptTunnels(plain: Server, secure: NetServer): Set<{ destroy(): void }> {
  const open = new Set<{ destroy(): void }>();
  plain.on('connect', (_request, socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    secure.emit('connection', socket);
  });
  return open;
}

async function listen(server: NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
