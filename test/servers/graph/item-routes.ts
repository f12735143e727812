import type { GraphOperation } from './graph-fault.ts';
import type { ItemHandler } from './item-request.ts';
import {
  createChild,
  deleteItem,
  deletePermanently,
  patchItem,
  restoreItem,
} from './items/change-item.ts';
import { commitUpload } from './items/commit-upload.ts';
import { copyItem } from './items/copy-item.ts';
import { delta } from './items/delta.ts';
import {
  createLink,
  deletePermission,
  invite,
  listPermissions,
  patchPermission,
} from './items/links.ts';
import { listChildren } from './items/list-children.ts';
import { getContent, getItem } from './items/read-item.ts';
import { createSession, putContent } from './items/upload.ts';
import {
  deleteVersion,
  getVersionContent,
  listVersions,
  restoreVersion,
} from './items/versions.ts';

/** What can be asked of an item. */
export interface ItemRoute {
  readonly operation: GraphOperation;
  readonly handle: ItemHandler;
}

const ROUTES: Readonly<Record<string, ItemRoute>> = {
  'GET ': { operation: 'getItem', handle: getItem },
  'PATCH ': { operation: 'patchItem', handle: patchItem },
  'DELETE ': { operation: 'deleteItem', handle: deleteItem },
  'PUT ': { operation: 'commitUpload', handle: commitUpload },
  'POST permanentDelete': { operation: 'permanentDelete', handle: deletePermanently },
  'POST restore': { operation: 'restoreItem', handle: restoreItem },
  'GET children': { operation: 'listChildren', handle: listChildren },
  'POST children': { operation: 'createFolder', handle: createChild },
  'GET delta': { operation: 'delta', handle: delta },
  'GET content': { operation: 'getContent', handle: getContent },
  'PUT content': { operation: 'putContent', handle: putContent },
  'POST createUploadSession': { operation: 'createUploadSession', handle: createSession },
  'POST copy': { operation: 'copy', handle: copyItem },
  'POST createLink': { operation: 'createLink', handle: createLink },
  'GET permissions': { operation: 'listPermissions', handle: listPermissions },
  'POST invite': { operation: 'invite', handle: invite },
  'PATCH permissions/*': { operation: 'patchPermission', handle: patchPermission },
  'DELETE permissions/*': { operation: 'deletePermission', handle: deletePermission },
  'GET versions': { operation: 'listVersions', handle: listVersions },
  'GET versions/*/content': { operation: 'getVersionContent', handle: getVersionContent },
  'DELETE versions/*': { operation: 'deleteVersion', handle: deleteVersion },
  'POST versions/*/restoreVersion': { operation: 'restoreVersion', handle: restoreVersion },
};

/** The route of a method and of what follows the item in the address. */
export function itemRoute(method: string, action: string): ItemRoute | undefined {
  const general = action
    .replace(/^(?:microsoft\.graph\.)?delta(?:\(.*\))?$/, 'delta')
    .replace(/^(?:microsoft\.graph\.)/, '')
    .replace(/^(versions|permissions)\/[^/]+/, '$1/*');
  return ROUTES[`${method} ${general}`];
}

/** What follows `versions/` or `permissions/`. */
export function subjectOf(action: string): string {
  return decodeURIComponent(/^(?:versions|permissions)\/([^/]+)/.exec(action)?.[1] ?? '');
}
