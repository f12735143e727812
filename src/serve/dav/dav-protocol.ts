import { once } from '../../core/body.ts';
import { type FileCall, respond } from '../files/call.ts';
import type { Protocol } from '../files/file-server.ts';
import { HTTP_PROTOCOL } from '../files/http-protocol.ts';
import { copyOrMove, deleteEntry, makeCollection } from './change-entries.ts';
import type { DavCall } from './dav-call.ts';
import { DeadProperties } from './dead-properties.ts';
import { lock, unlock } from './lock.ts';
import { LockTable } from './lock-table.ts';
import { propfind, proppatch } from './properties.ts';
import { put } from './put.ts';

const HANDLERS: Readonly<Record<string, (call: DavCall) => Promise<void> | void>> = {
  ...HTTP_PROTOCOL.handlers,
  OPTIONS: (call) => {
    const allowed = call.tree.options.readOnly ? READING : Object.keys(HANDLERS);
    respond(call, 200, { allow: allowed.join(', '), dav: '1, 2', 'ms-author-via': 'DAV' });
  },
  PROPFIND: propfind,
  PROPPATCH: proppatch,
  PUT: put,
  MKCOL: makeCollection,
  DELETE: deleteEntry,
  COPY: (call) => copyOrMove(call, 'copy'),
  MOVE: (call) => copyOrMove(call, 'move'),
  LOCK: lock,
  UNLOCK: unlock,
};

const READING = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND'];

/**
 * `serve webdav`: what `serve http` does, and WebDAV of classes 1 and 2 (RFC 4918). Locks and properties last as long
 * as the returned protocol.
 */
export function openWebDav(): Protocol {
  const shared = {
    locks: new LockTable(() => performance.now()),
    properties: new DeadProperties(),
    startedAt: Date.now(),
  };
  const handlers = Object.entries(HANDLERS).map(([method, handle]) => {
    const handleCall = (call: FileCall) => {
      const { tree, op } = call;
      const about = once(async () => tree.remote.can.about?.(op).catch(() => undefined));
      return handle({ ...call, ...shared, about });
    };
    return [method, handleCall] as const;
  });
  return { handlers: Object.fromEntries(handlers), reading: READING };
}
