import { answerMonitor } from './copy-jobs.ts';
import { answerDownload } from './download.ts';
import type { Drive } from './drive.ts';
import { answerDrives, driveOperation } from './drive-routes.ts';
import { type Answer, decodePart, type GraphCall } from './graph-call.ts';
import { failureBody, GraphFailure, invalidRequest } from './graph-failure.ts';
import type { GraphOperation } from './graph-fault.ts';
import type { GraphWorld } from './graph-world.ts';
import { actionOf, readItemAddress } from './item-address.ts';
import { itemRoute, subjectOf } from './item-routes.ts';
import { answerSession } from './items/upload.ts';
import { loginOperation, type SignIn } from './login/sign-in.ts';
import { unauthenticated } from './login/token-store.ts';

/** What a request asks for, and how it is answered. */
export interface RoutedCall {
  readonly operation: GraphOperation;
  /** Errors come as answers; it throws only for defects of the server. */
  answer(): Answer;
}

const SESSION: Readonly<Record<string, GraphOperation>> = {
  PUT: 'putFragment',
  GET: 'getSession',
  DELETE: 'deleteSession',
  POST: 'finishSession',
};

/** The whole service behind all its addresses, apart from how requests arrive. */
export class GraphRouter {
  readonly world: GraphWorld;
  readonly login: SignIn;

  constructor(world: GraphWorld, login: SignIn) {
    this.world = world;
    this.login = login;
  }

  /**
   * Finds out what a request asks for.
   * @param where which of the two hosts it came to: that of Graph and the sign-in, or that of the contents
   */
  route(call: GraphCall, where: 'graph' | 'content'): RoutedCall {
    const found =
      this.#contentRoute(call) ?? (where === 'graph' ? this.#graphRoute(call) : undefined);
    const { operation, handle } = found ?? { operation: 'unknown', handle: unknownAddress };
    const { settings, ids } = this.world;
    return { operation, answer: () => ids.write(settings.oddIds, asAnswer(handle)) };
  }

  #contentRoute(call: GraphCall): Route | undefined {
    const [, kind, id = ''] = call.path.split('/');
    const { world } = this;
    const guard = (place: 'upload' | 'download') => {
      const refused = world.settings.refuseTokenAt.includes(place);
      if (refused && call.headers.authorization !== undefined) {
        throw new GraphFailure(401, 'unauthenticated', 'No Authorization is taken here.');
      }
    };
    const session = kind === 'upload' ? SESSION[call.method] : undefined;
    if (session !== undefined) {
      const handle = () => {
        guard('upload');
        return answerSession(world, id, call);
      };
      return { operation: session, handle };
    }
    if (call.method !== 'GET') return undefined;
    if (kind === 'monitor') {
      return { operation: 'monitor', handle: () => answerMonitor(world, id) };
    }
    if (kind !== 'download') return undefined;
    const handle = () => {
      guard('download');
      return answerDownload(world, id, call);
    };
    return { operation: 'download', handle };
  }

  #graphRoute(call: GraphCall): Route | undefined {
    const { basePath } = this.world.settings;
    if (!call.path.startsWith(`${basePath}/`)) {
      const operation = loginOperation(call.path);
      if (operation === undefined) return undefined;
      return { operation, handle: () => this.login.answer(operation, call) };
    }
    const path = call.path
      .slice(basePath.length)
      .replace(/(?<=.)\/$/, '')
      .replace(/\/(drives|items|sites)\((?:'|%27)(.*?)(?:'|%27)\)/g, '/$1/$2');
    if (path === '/$batch' && call.method === 'POST') {
      return { operation: 'batch', handle: unknownAddress };
    }
    const found = this.#itemRoute(call, path) ?? this.#driveRoute(call, path);
    if (found === undefined) return undefined;
    const handle = () => {
      this.login.tokens.check(call.headers.authorization);
      return found.handle();
    };
    return { operation: found.operation, handle };
  }

  #driveRoute(call: GraphCall, path: string): Route | undefined {
    const operation = driveOperation(call.method, path);
    if (operation === undefined) return undefined;
    return { operation, handle: () => answerDrives(operation, this.world, call, path) };
  }

  #itemRoute(call: GraphCall, path: string): Route | undefined {
    const match = /^\/(?:me\/drive|drives\/([^/]+))\/((?:root|items\/).*)$/.exec(path);
    const [, driveId, rest = ''] = match ?? [];
    const action = match === null ? undefined : actionOf(rest);
    const route = action === undefined ? undefined : itemRoute(call.method, action);
    if (route === undefined) return undefined;
    const handle = () => {
      const drive = this.#drive(driveId);
      const inBin = route.operation === 'restoreItem';
      const address = readItemAddress(drive, rest, call.query, this.#knowsColons(call), inBin);
      if (address === undefined) return unknownAddress();
      const subject = subjectOf(address.action);
      return route.handle({ world: this.world, call, drive, address, subject });
    };
    return { operation: route.operation, handle };
  }

  #knowsColons({ origin }: GraphCall): boolean {
    return this.world.settings.pathAddresses && !origin.endsWith('.chinacloudapi.cn');
  }

  #drive(id: string | undefined): Drive {
    return id === undefined ? this.world.defaultDrive() : this.world.drive(decodePart(id));
  }
}

interface Route {
  readonly operation: GraphOperation;
  readonly handle: () => Answer;
}

function unknownAddress(): Answer {
  throw invalidRequest('Resource not found for the segment: the address is none of the service.');
}

function asAnswer(handle: () => Answer): Answer {
  try {
    return handle();
  } catch (error) {
    if (error instanceof GraphFailure) return failureAnswer(error);
    throw error;
  }
}

/** A failure as the service answers it. */
export function failureAnswer(failure: GraphFailure): Answer {
  const { status, headers, code, message, inner } = failure;
  return { status, headers, json: failureBody(code, message, inner) };
}

/** The answer to a token that is no longer good. */
export function expiredTokenAnswer(): Answer {
  return failureAnswer(unauthenticated('Lifetime validation failed, the token is expired.'));
}
