import type { Fault } from '../fault.ts';

/** What a request asks for. */
export type GraphOperation =
  | 'unknown'
  | 'authorize'
  | 'token'
  | 'deviceCode'
  | 'discovery'
  | 'me'
  | 'getDrive'
  | 'listDrives'
  | 'sharedWithMe'
  | 'searchSites'
  | 'getSite'
  | 'listSiteDrives'
  | 'batch'
  | 'getItem'
  | 'patchItem'
  | 'deleteItem'
  | 'permanentDelete'
  | 'restoreItem'
  | 'commitUpload'
  | 'listChildren'
  | 'createFolder'
  | 'delta'
  | 'getContent'
  | 'putContent'
  | 'createUploadSession'
  | 'copy'
  | 'createLink'
  | 'listPermissions'
  | 'invite'
  | 'patchPermission'
  | 'deletePermission'
  | 'listVersions'
  | 'getVersionContent'
  | 'deleteVersion'
  | 'restoreVersion'
  | 'putFragment'
  | 'getSession'
  | 'deleteSession'
  | 'finishSession'
  | 'download'
  | 'monitor';

/** A request as rules and tests see it: no token and no secret in it, only whether one came. */
export interface SeenGraphRequest {
  readonly method: string;
  /** Host that the client meant. */
  readonly host: string;
  /** Path, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly operation: GraphOperation;
  readonly authorized: boolean;
  readonly grantType: string | undefined;
  /** The permissions that a token is asked for. */
  readonly scope: string | undefined;
  readonly range: string | undefined;
  readonly contentRange: string | undefined;
  readonly userAgent: string | undefined;
  /** Bytes announced for the body. */
  readonly length: number;
  /** Part of a `$batch`. */
  readonly inBatch: boolean;
}

/** What goes wrong with a request. */
export type GraphFault =
  | Fault
  /** The connection is reset while the body comes in; the service takes nothing of it. */
  | { readonly reset: 'in-upload'; readonly afterBytes?: number }
  /** An error whose body is no JSON. */
  | { readonly status: number; readonly html: true }
  /** The answer says that the token expired. */
  | { readonly unauthenticated: true };

/**
 * Decides what goes wrong; it may also change the server at that moment, to expire tokens for example.
 * @param n how many requests of the same operation came before, from 0
 */
export type GraphFaultRule = (request: SeenGraphRequest, n: number) => GraphFault | undefined;

/** The first `count` requests of an operation fail in this way. */
export function failFirstGraph(
  operation: GraphOperation,
  count: number,
  fault: GraphFault,
): GraphFaultRule {
  return (request, n) => (request.operation === operation && n < count ? fault : undefined);
}
